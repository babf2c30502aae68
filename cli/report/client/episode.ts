import type { CallView, EpisodeView } from "../model.ts";
import type { ReportKit } from "./kit.ts";

/** The step-by-step viewer of one rollout. Runs in the page. */
export function episodeKit(kit: ReportKit): void {
  let shown: EpisodeView | undefined;
  let at = 0;
  let told: (episode: EpisodeView, frame: number) => void = () => {};

  kit.onFrame = (listener) => {
    told = listener;
  };

  kit.showEpisode = (episode, frame) => {
    shown = episode;
    at = Math.min(Math.max(0, frame), episode.frames.length - 1);
    const viewer = kit.byId("viewer");
    viewer.replaceChildren(head(episode), steps(episode), ...moment(episode));
    told(episode, at);
  };

  kit.moveFrame = (by) => {
    if (!shown) return;
    const next = at + by;
    if (next >= 0 && next < shown.frames.length) kit.showEpisode(shown, next);
  };

  function head(episode: EpisodeView): HTMLElement {
    const tone = kit.tone(episode.score);
    const score = episode.score === null ? "no score" : `score ${Number(episode.score.toFixed(2))}`;
    return kit.make(
      "header",
      {},
      kit.make("p", { class: "instruction" }, episode.instruction),
      kit.make(
        "p",
        { class: "meta" },
        kit.make("span", { class: `score ${tone}` }, score),
        ` · ${episode.stop.replaceAll("_", " ")} · ${episode.task} · ${episode.id}`,
      ),
    );
  }

  function steps(episode: EpisodeView): HTMLElement {
    const track = kit.make("div", { class: "track", role: "group", "aria-label": "Steps" });
    for (const [i, frame] of episode.frames.entries()) {
      const name = frame.kind === "end" ? "■" : String(i + 1);
      const button = kit.make("button", { type: "button", title: frame.title }, name);
      if (i === at) button.setAttribute("aria-current", "step");
      if (frame.failure !== null) button.classList.add("failed");
      button.addEventListener("click", () => kit.showEpisode(episode, i));
      track.append(button);
    }
    const move = (by: number, name: string, sign: string) => {
      const button = kit.make("button", { type: "button", "aria-label": name }, sign);
      button.disabled = at + by < 0 || at + by >= episode.frames.length;
      button.addEventListener("click", () => kit.moveFrame(by));
      return button;
    };
    return kit.make(
      "nav",
      { class: "steps" },
      move(-1, "Step before", "←"),
      track,
      move(1, "Next step", "→"),
    );
  }

  function moment(episode: EpisodeView): HTMLElement[] {
    const frame = episode.frames[at];
    if (!frame) return [];
    const title = kit.make("h3", { class: "title" }, frame.title);
    if (frame.failure !== null)
      title.append(kit.make("span", { class: "failure" }, `Failed: ${frame.failure}`));
    const below = kit.make("div", { class: "below" });
    if (frame.isStale && frame.picture !== null) {
      const note = "The picture is from before the last action; none was taken after it.";
      below.append(kit.make("p", { class: "stale" }, note));
    }
    if (frame.kind === "end") below.append(...verdict(episode));
    if (frame.calls.length > 0) {
      below.append(kit.make("h3", {}, frame.calls.length === 1 ? "Model call" : "Model calls"));
      below.append(...frame.calls.map(call));
    } else if (episode.callsMissing !== null) {
      below.append(kit.make("p", { class: "muted" }, `Model calls can't be shown: ${episode.callsMissing}`));
    }
    below.append(facts(episode));
    return [
      title,
      kit.make("p", { class: "url" }, frame.url),
      kit.make("div", { class: "stage" }, kit.drawPicture(frame)),
      below,
    ];
  }

  function verdict(episode: EpisodeView): HTMLElement[] {
    const pairs = kit.make("dl", { class: "pairs" });
    for (const { name, value } of episode.evidence) {
      pairs.append(kit.make("dt", {}, name), kit.make("dd", {}, value));
    }
    return [
      kit.make("h3", {}, episode.score === null ? "Why there is no score" : "Judge"),
      kit.make("p", { class: "reason" }, episode.reason),
      pairs,
    ];
  }

  function call(view: CallView): HTMLElement {
    const words = [
      `call ${view.index}`,
      view.role === "agent" ? "" : view.role,
      view.policy === null ? "" : `policy ${view.policy}`,
      `${view.promptTokens} prompt tokens`,
      `${view.tokens.length} sampled`,
      `${Math.round(view.ms)} ms`,
      view.incomplete === null ? "" : `not trainable: ${view.incomplete.replaceAll("_", " ")}`,
    ];
    const box = kit.make("div", { class: "call" });
    box.append(kit.make("p", { class: "call-head num" }, words.filter(Boolean).join(" · ")));
    for (const { kind, text } of view.parts) box.append(kit.make("p", { class: `say ${kind}` }, text));
    if (view.tokens.length > 0) box.append(tokens(view.tokens));
    return box;
  }

  /** Sampled tokens, each as dark as it was probable. */
  function tokens(list: CallView["tokens"]): HTMLElement {
    const box = kit.make("div", { class: "tokens", "aria-label": "Sampled tokens" });
    for (const [id, logprob, name] of list) {
      const p = Math.exp(logprob);
      box.append(
        kit.make(
          "span",
          { style: `--p: ${p.toFixed(3)}`, title: `token ${id}, log-probability ${logprob.toFixed(4)}` },
          name,
          kit.make("small", {}, p >= 0.995 ? "1" : p.toFixed(2).slice(1)),
        ),
      );
    }
    return box;
  }

  function facts(episode: EpisodeView): HTMLElement {
    const pairs = kit.make("dl", { class: "pairs" });
    for (const { name, value } of episode.facts) {
      pairs.append(kit.make("dt", {}, name), kit.make("dd", {}, value));
    }
    return kit.make("details", {}, kit.make("summary", {}, "Versions and figures"), pairs);
  }
}
