import type { ReportKit } from "./kit.ts";

/** The curve's hover. Runs in the page. */
export function curveKit(kit: ReportKit): void {
  kit.watchCurve = () => {
    const box = document.querySelector<HTMLElement>(".curve-box");
    const svg = box?.querySelector<SVGSVGElement>(".curve");
    const cursor = svg?.querySelector<SVGLineElement>(".cursor");
    if (!box || !svg || !cursor) return;
    const points = JSON.parse(kit.byId("curve-points").textContent ?? "") as { x: number; lines: string[] }[];
    const tip = kit.make("div", { class: "tip", hidden: "" });
    box.append(tip);

    svg.addEventListener("pointermove", (event) => {
      const frame = svg.getBoundingClientRect();
      const share = (event.clientX - frame.left) / frame.width;
      const nearest = points.reduce<(typeof points)[number] | undefined>(
        (best, point) => (best && Math.abs(best.x - share) <= Math.abs(point.x - share) ? best : point),
        undefined,
      );
      if (!nearest) return;
      const x = String(nearest.x * svg.viewBox.baseVal.width);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.setAttribute("visibility", "visible");
      tip.replaceChildren(...nearest.lines.map((line) => kit.make("div", {}, line)));
      tip.hidden = false;
      const left = nearest.x * frame.width;
      tip.style.left = `${left > frame.width / 2 ? left - tip.offsetWidth - 14 : left + 14}px`;
    });
    svg.addEventListener("pointerleave", () => {
      cursor.setAttribute("visibility", "hidden");
      tip.hidden = true;
    });
  };
}
