import type { Request } from "express";
import { defineSite, formText, queryText } from "../core/site.ts";
import { viewPath } from "../core/view.ts";
import { isBookable } from "./dates.ts";
import {
  BOOKING_TITLE,
  cancelPage,
  confirmPage,
  homePage,
  resultsPage,
  stayPage,
  tripPage,
  tripsPage,
  type Wish,
} from "./pages.ts";
import { type BookingState, GUESTS, ROOMS } from "./state.ts";

/** Places to stay: search with a calendar, book in two steps, change and cancel. */
export const bookingSite = defineSite<BookingState>(
  {
    name: "booking",
    title: BOOKING_TITLE,
    description: "Places to stay: a calendar, booking, changing, cancelling.",
  },
  (router, state) => {
    router.get("/", (req, res) => {
      res.send(homePage(state(res), wishOf(req)));
    });

    router.get("/results", (req, res) => {
      res.send(resultsPage(state(res), wishOf(req)));
    });

    router.get("/stay/:id", (req, res, next) => {
      const stay = state(res).stays.find(({ id }) => id === req.params.id);
      if (stay) res.send(stayPage(stay, wishOf(req)));
      else next();
    });

    router.post("/draft", (req, res) => {
      const site = state(res);
      const stay = formText(req, "stay");
      const [checkIn, checkOut] = [formText(req, "in"), formText(req, "out")];
      const [guests, room, name] = [formText(req, "guests"), formText(req, "room"), formText(req, "name")];
      const known = site.stays.some(({ id }) => id === stay) && has(ROOMS, room) && has(GUESTS, guests);
      if (!known || name === "" || !isBookable(checkIn) || !isBookable(checkOut) || checkIn >= checkOut) {
        return res.redirect(303, viewPath(`/stay/${stay}`, { in: checkIn, out: checkOut, guests }));
      }
      site.draft = { stay, checkIn, checkOut, guests, room, name };
      res.redirect(303, "/confirm");
    });

    router.get("/confirm", (_req, res) => {
      res.send(confirmPage(state(res)));
    });

    router.post("/confirm", (_req, res) => {
      const site = state(res);
      if (site.draft) site.reservations.push({ ...site.draft, status: "booked" });
      site.draft = null;
      res.redirect(303, "/trips");
    });

    router.get("/trips", (_req, res) => {
      res.send(tripsPage(state(res)));
    });

    router.get("/trip/:index", (req, res, next) => {
      const page = tripPage(state(res), Number(req.params.index));
      if (page) res.send(page);
      else next();
    });

    router.post("/trip/:index", (req, res, next) => {
      const trip = state(res).reservations[Number(req.params.index)];
      if (!trip) return next();
      const [room, guests] = [formText(req, "room"), formText(req, "guests")];
      if (has(ROOMS, room)) trip.room = room;
      if (has(GUESTS, guests)) trip.guests = guests;
      res.redirect(303, "/trips");
    });

    router.get("/trip/:index/cancel", (req, res, next) => {
      const page = cancelPage(state(res), Number(req.params.index));
      if (page) res.send(page);
      else next();
    });

    router.post("/trip/:index/cancel", (req, res, next) => {
      const trip = state(res).reservations[Number(req.params.index)];
      if (!trip) return next();
      trip.status = "cancelled";
      res.redirect(303, "/trips");
    });
  },
);

function wishOf(req: Request): Wish {
  return {
    city: queryText(req, "city"),
    in: queryText(req, "in"),
    out: queryText(req, "out"),
    guests: queryText(req, "guests"),
  };
}

function has(values: readonly string[], value: string): boolean {
  return values.includes(value);
}
