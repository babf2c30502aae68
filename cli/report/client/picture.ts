import type { Drawing } from "../model.ts";
import type { ReportKit } from "./kit.ts";

/** A screenshot with what was done drawn over it. Runs in the page. */
export function pictureKit(kit: ReportKit): void {
  const SVG = "http://www.w3.org/2000/svg";

  function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    return element;
  }

  function shapes(drawing: Drawing, unit: number): SVGElement[] {
    switch (drawing.shape) {
      case "box": {
        const { x, y, width, height } = drawing.box;
        const grow = 2 * unit;
        return [
          shape("rect", {
            class: "box",
            x: x - grow,
            y: y - grow,
            width: width + 2 * grow,
            height: height + 2 * grow,
            rx: 3 * unit,
          }),
        ];
      }
      case "ring": {
        const { x, y, rings } = drawing;
        const radii = Array.from({ length: rings }, (_, i) => (11 + 5 * i) * unit);
        return [
          ...radii.flatMap((r) => [
            shape("circle", { class: "halo", cx: x, cy: y, r }),
            shape("circle", { class: "ring", cx: x, cy: y, r }),
          ]),
          shape("circle", { class: "point", cx: x, cy: y, r: 3.5 * unit }),
        ];
      }
      case "arrow": {
        const { x1, y1, x2, y2 } = drawing;
        const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
        const size = 7 * unit;
        return [
          shape("line", { class: "halo", x1, y1, x2, y2 }),
          shape("circle", { class: "point", cx: x1, cy: y1, r: 3.5 * unit }),
          shape("line", { class: "arrow", x1, y1, x2, y2 }),
          shape("path", {
            class: "head",
            d: `M${2 * size},0 L${-size},${-size} L${-size},${size} Z`,
            transform: `translate(${x2} ${y2}) rotate(${angle})`,
          }),
        ];
      }
      case "label":
        return [];
    }
  }

  kit.drawPicture = ({ picture, drawings, kind }) => {
    const url = picture && kit.imageUrl(picture);
    if (!picture || !url) {
      const why = picture
        ? "This picture is not in the file. Serve the run with “forge view” to see it."
        : kind === "end"
          ? "No picture was taken at the end."
          : "The agent acted without having seen a picture.";
      return kit.make("div", { class: "nothing" }, why);
    }
    const { width, height } = picture;
    // Small pages (the click board is 320 pixels wide) are shown enlarged; nothing beyond 880 pixels.
    const shown = Math.min(880, Math.max(width, Math.min(width * 2, 560)));
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const drawing of drawings) svg.append(...shapes(drawing, width / shown));
    const box = kit.make("div", { class: "shot", style: `width: ${shown}px; max-width: 100%` });
    box.append(
      kit.make("img", { src: url, alt: "What the agent saw", style: `aspect-ratio: ${width} / ${height}` }),
      svg,
    );
    for (const drawing of drawings) {
      if (drawing.shape !== "label" || drawing.text === "") continue;
      const place = `left: ${(drawing.x / width) * 100}%; top: ${(drawing.y / height) * 100}%`;
      box.append(kit.make("span", { class: "label", style: place }, drawing.text));
    }
    return box;
  };
}
