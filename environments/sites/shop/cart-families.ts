import { defineFamily } from "../core/family.ts";
import { choose, click } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { add, addSome, drawPair, type Pair, pairKey, search } from "./pair.ts";
import { NAME_COUNT, PAGE_VIEWPORT, type Product, type ShopState, stockShop } from "./state.ts";

const SHOP = { viewport: PAGE_VIEWPORT } as const;

const addToCart = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/add-to-cart",
  level: 2,
  maxSteps: 2,
  title: "Add a product of the first page to the cart",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: ({ target, other }, rng) => stockShop([target, other], "first page", rng),
  phrasings: ({ target: { name } }) => [
    `Add the ${name} to the cart.`,
    `Put one ${name} into the cart.`,
    `Add ${name} to cart.`,
  ],
  goal({ target }, state) {
    state.cart[target.slug] = 1;
  },
  oracle: ({ target }) => [add(target.name)],
  wrong: ({ other }) => [add(other.name)],
});

const searchAdd = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/search-add",
  level: 3,
  maxSteps: 4,
  title: "Search for a product that the first page does not show and add it to the cart",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: ({ target, other }, rng) => stockShop([target, other], "later page", rng),
  phrasings: ({ target: { name } }) => [
    `Search for "${name.toLowerCase()}" and add it to the cart.`,
    `Search for "${name.toLowerCase()}", then add ${name} to cart.`,
    `Find "${name.toLowerCase()}" with the search and put one in the cart.`,
  ],
  goal({ target }, state) {
    state.cart[target.slug] = 1;
  },
  oracle: ({ target }) => [search(target.name), add(target.name)],
  wrong: ({ other }) => [search(other.name), add(other.name)],
});

/** A shop whose cart already holds the pair and one thing more. */
function filledCart({ target, other }: Pair, rng: Rng): ShopState {
  const state = stockShop([target, other], "first page", rng);
  const third = state.products.find(({ slug }) => slug !== target.slug && slug !== other.slug) as Product;
  for (const { slug } of rng.shuffle([target, other, third])) state.cart[slug] = rng.int(1, 2);
  return state;
}

const removeFromCart = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/remove-from-cart",
  level: 2,
  maxSteps: 2,
  title: "Remove a product from the cart",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: filledCart,
  startPath: () => "/cart",
  phrasings: ({ target: { name } }) => [
    `Remove the ${name} from the cart.`,
    `Take the ${name} out of the cart.`,
    `Remove ${name}.`,
  ],
  goal({ target }, state) {
    delete state.cart[target.slug];
  },
  oracle: ({ target }) => [click("button", `Remove ${target.name}`)],
  wrong: ({ other }) => [click("button", `Remove ${other.name}`)],
});

const saveForLater = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/save-for-later",
  level: 3,
  maxSteps: 2,
  title: "Save a product of the cart for later (equal buttons; only their row tells them apart)",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: filledCart,
  startPath: () => "/cart",
  phrasings: ({ target: { name } }) => [
    `Save the ${name} for later.`,
    `Press Save for later in the row of the ${name}.`,
  ],
  goal({ target }, state) {
    delete state.cart[target.slug];
    state.later.push(target.slug);
  },
  oracle: ({ target }) => [click("button", "Save for later", target.name)],
  wrong: ({ other }) => [click("button", "Save for later", other.name)],
});

const setQuantity = defineFamily<Pair & { quantity: string }, ShopState>({
  ...SHOP,
  id: "shop/set-quantity",
  level: 3,
  maxSteps: 3,
  title: "Change the quantity of one product of the cart",
  distinct: NAME_COUNT * 7,
  draw: (rng) => ({ ...drawPair(rng), quantity: String(rng.int(3, 9)) }),
  key: ({ target, quantity }) => [target.name, quantity],
  world: filledCart,
  startPath: () => "/cart",
  phrasings: ({ target: { name }, quantity }) => [
    `Set the quantity of ${name} to ${quantity} and update the cart.`,
    `Change the Quantity of ${name} to ${quantity}, then press Update cart.`,
  ],
  goal({ target, quantity }, state) {
    state.cart[target.slug] = Number(quantity);
  },
  oracle: ({ target, quantity }) => [
    choose(`Quantity of ${target.name}`, quantity),
    click("button", "Update cart"),
  ],
  wrong: ({ other, quantity }) => [
    choose(`Quantity of ${other.name}`, quantity),
    click("button", "Update cart"),
  ],
});

const addQuantity = defineFamily<Pair & { quantity: string }, ShopState>({
  ...SHOP,
  id: "shop/add-quantity",
  level: 4,
  maxSteps: 6,
  title: "Search for a product, open it and add several of it",
  distinct: NAME_COUNT * 7,
  draw: (rng) => ({ ...drawPair(rng), quantity: String(rng.int(2, 8)) }),
  key: ({ target, quantity }) => [target.name, quantity],
  world: ({ target, other }, rng) => stockShop([target, other], "later page", rng),
  phrasings: ({ target: { name }, quantity }) => [
    `Search for "${name.toLowerCase()}", open ${name}, set Quantity to ${quantity} and press Add to cart.`,
    `Put ${quantity} of the product "${name.toLowerCase()}" into the cart: search for it, open its page, choose the quantity and add to cart.`,
  ],
  goal({ target, quantity }, state) {
    state.cart[target.slug] = Number(quantity);
  },
  oracle: ({ target, quantity }) => addSome(target.name, quantity),
  wrong: ({ target }) => addSome(target.name, "1"),
});

/** Families on filling and changing the cart. */
export const shopCartFamilies = [
  addToCart,
  searchAdd,
  removeFromCart,
  saveForLater,
  setQuantity,
  addQuantity,
];
