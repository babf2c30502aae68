import { choose, click, fill, type Move, type Script } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { drawProduct, type Product } from "./state.ts";

/** A product to go for and another that a careless agent might take. */
export interface Pair {
  target: Product;
  other: Product;
}

export function drawPair(rng: Rng): Pair {
  const target = drawProduct(rng);
  let other = drawProduct(rng);
  while (other.name === target.name) other = drawProduct(rng);
  return { target, other };
}

/** Most tasks about one product differ by its name alone. */
export function pairKey({ target }: Pair): string {
  return target.name;
}

/** Presses the button that adds a product from a list. */
export function add(name: string): Move {
  return click("button", `Add ${name} to cart`);
}

/** Searches for a product by name. */
export function search(name: string): Move {
  return fill("Search", name.toLowerCase(), { submit: true });
}

/** Searches for a product, opens it and adds several of it. */
export function addSome(name: string, quantity: string): Script {
  return [search(name), click("link", name), choose("Quantity", quantity), click("button", "Add to cart")];
}
