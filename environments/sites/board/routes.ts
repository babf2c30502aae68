import { z } from "zod";
import { defineSite, formText } from "../core/site.ts";
import { boardPage } from "./page.ts";
import { type BoardState, figureAt } from "./state.ts";

const Point = z.object({ x: z.number(), y: z.number() });
const Named = z.object({ name: z.string() });
const Value = z.object({ name: z.string(), value: z.union([z.string(), z.boolean()]) });

/** The click board: one small page of controls, for the first lessons. */
export const boardSite = defineSite<BoardState>(
  {
    name: "board",
    title: "Click board",
    description: "One small page: coloured figures on a canvas, or a handful of controls.",
  },
  (router, state) => {
    router.get("/", (_req, res) => {
      res.send(boardPage(state(res)));
    });

    router.post("/point", (req, res) => {
      const board = state(res);
      const point = Point.safeParse(req.body);
      const figure = point.success ? figureAt(board.figures, point.data.x, point.data.y) : undefined;
      if (figure) board.clicks.push(figure.name);
      res.json({ figure });
    });

    router.post("/click", (req, res) => {
      const named = Named.safeParse(req.body);
      if (named.success) state(res).clicks.push(named.data.name);
      res.json({});
    });

    router.post("/value", (req, res) => {
      const sent = Value.safeParse(req.body);
      if (sent.success) state(res).values[sent.data.name] = sent.data.value;
      res.json({});
    });

    router.post("/save", (req, res) => {
      const board = state(res);
      for (const control of board.controls) {
        if (control.kind === "field") board.values[control.name] = formText(req, control.name);
      }
      res.redirect(303, "/");
    });

    router.get("/entry/:index", (req, res, next) => {
      const board = state(res);
      const entry = board.entries[Number(req.params.index)];
      if (entry) res.send(boardPage(board, entry.name));
      else next();
    });

    router.post("/archive", (req, res) => {
      const board = state(res);
      const name = formText(req, "name");
      if (board.entries.some((entry) => entry.name === name) && !board.archived.includes(name)) {
        board.archived.push(name);
      }
      res.redirect(303, "/");
    });
  },
);
