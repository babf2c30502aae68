import type { Rng } from "../core/rng.ts";
import { capital, NOUNS } from "../core/words.ts";
import type { SiteState } from "../types.ts";

/** Viewport of the sites with several pages, in CSS pixels. */
export const PAGE_VIEWPORT = { width: 640, height: 480 };

export interface Product {
  slug: string;
  name: string;
  category: string;
  colour: string;
  /** Cents. */
  price: number;
  maker: string;
}

export interface Order {
  name: string;
  delivery: string;
  lines: Record<string, number>;
}

export interface ShopState extends SiteState {
  products: Product[];
  /** Quantities by product slug. */
  cart: Record<string, number>;
  /** Slugs put aside, sorted. */
  later: string[];
  orders: Order[];
}

/** Products by category. */
export const CATEGORIES: Record<string, readonly string[]> = {
  Tables: ["desk", "side table", "bench", "workbench", "coffee table", "stool"],
  Lighting: ["lamp", "lantern", "candle holder", "pendant", "sconce", "floor lamp"],
  Kitchen: ["teapot", "bowl", "pitcher", "tray", "bread box", "ladle"],
  Textiles: ["blanket", "cushion", "rug", "curtain", "towel", "runner"],
  Storage: ["basket", "shelf", "chest", "crate", "cabinet", "hook rack"],
};

const MATERIALS = [
  "Oak",
  "Pine",
  "Birch",
  "Walnut",
  "Cherry",
  "Maple",
  "Cork",
  "Rattan",
  "Bamboo",
  "Linen",
  "Wool",
  "Cotton",
  "Felt",
  "Copper",
  "Brass",
  "Iron",
  "Steel",
  "Tin",
  "Marble",
  "Slate",
  "Clay",
  "Glass",
  "Wicker",
  "Jute",
  "Canvas",
  "Enamel",
] as const;

/** Colours of products, as the filter names them, with CSS colours for the swatch. */
export const SWATCHES: Record<string, string> = {
  Sand: "#d9c39a",
  Moss: "#7c8f55",
  Ink: "#2d3550",
  Rust: "#b4552f",
  Cream: "#efe6d0",
  Plum: "#6f3f5f",
};

export const COLOURS = Object.keys(SWATCHES);
export const DELIVERIES = ["Pick up", "Standard", "Express"] as const;
export const SORTS = ["Featured", "Price: low to high", "Price: high to low", "Name"] as const;
/** Products on a page of the list. */
export const PER_PAGE = 6;
/** Products in a shop. */
export const STOCK = 24;

/** Distinct product names there can be. */
export const NAME_COUNT = MATERIALS.length * Object.values(CATEGORIES).flat().length;

/** A product by name, its other details drawn. */
export function drawProduct(rng: Rng, category = rng.pick(Object.keys(CATEGORIES))): Product {
  const name = `${rng.pick(MATERIALS)} ${rng.pick(CATEGORIES[category] ?? [])}`;
  return {
    slug: name.toLowerCase().replaceAll(" ", "-"),
    name,
    category,
    colour: rng.pick(COLOURS),
    price: rng.int(8, 240) * 100 + rng.pick([0, 50, 95, 25]),
    maker: `${capital(rng.pick(NOUNS))} & ${capital(rng.pick(NOUNS))}`,
  };
}

/** Where the products a task is about stand in the list: on the first page, or beyond it. */
export type Placement = "first page" | "later page";

/** A shop that stocks these products among others, with an empty cart. */
export function stockShop(chosen: readonly Product[], placement: Placement, rng: Rng): ShopState {
  const products = new Map(chosen.map((product) => [product.slug, product]));
  while (products.size < STOCK) {
    const product = drawProduct(rng);
    if (!products.has(product.slug)) products.set(product.slug, product);
  }
  const others = rng.shuffle([...products.values()].slice(chosen.length));
  const split = PER_PAGE - (placement === "first page" ? chosen.length : 0);
  const first = others.slice(0, split);
  const rest = others.slice(split);
  (placement === "first page" ? first : rest).push(...chosen);
  return {
    view: "",
    products: [...rng.shuffle(first), ...rng.shuffle(rest)],
    cart: {},
    later: [],
    orders: [],
  };
}

/** What a search or filter shows, in order. */
export function findProducts(
  products: readonly Product[],
  query: { q: string; category: string; colour: string; sort: string },
): Product[] {
  const words = query.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = products.filter(
    (product) =>
      words.every((word) => `${product.name} ${product.maker}`.toLowerCase().includes(word)) &&
      (query.category === "" || product.category === query.category) &&
      (query.colour === "" || product.colour === query.colour),
  );
  if (query.sort === SORTS[1]) found.sort((a, b) => a.price - b.price);
  if (query.sort === SORTS[2]) found.sort((a, b) => b.price - a.price);
  if (query.sort === SORTS[3]) found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return found;
}

/** A price as the shop shows it. */
export function money(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
