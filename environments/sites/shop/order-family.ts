import { defineFamily } from "../core/family.ts";
import { choose, click, fill } from "../core/moves.ts";
import { FAMILY_NAMES, GIVEN_NAMES } from "../core/words.ts";
import { addSome, drawPair, type Pair } from "./pair.ts";
import { DELIVERIES, NAME_COUNT, PAGE_VIEWPORT, type ShopState, stockShop } from "./state.ts";

interface OrderParams extends Pair {
  quantity: string;
  buyer: string;
  delivery: string;
}

function steps({ target, quantity, buyer, delivery }: OrderParams) {
  return [
    ...addSome(target.name, quantity),
    click("link", `Cart (${quantity})`),
    click("link", "Checkout"),
    fill("Full name", buyer),
    choose("Delivery", delivery),
    click("button", "Place order"),
  ];
}

/** Buying something, from the search to the order. */
export const placeOrder = defineFamily<OrderParams, ShopState>({
  id: "shop/place-order",
  level: 5,
  viewport: PAGE_VIEWPORT,
  maxSteps: 12,
  title: "Order several of a product: search, product page, cart, checkout",
  distinct: NAME_COUNT * 50,
  draw: (rng) => ({
    ...drawPair(rng),
    quantity: String(rng.int(2, 8)),
    buyer: `${rng.pick(GIVEN_NAMES)} ${rng.pick(FAMILY_NAMES)}`,
    delivery: rng.pick(DELIVERIES.filter((name) => name !== "Standard")),
  }),
  key: ({ target, quantity, buyer, delivery }) => [target.name, quantity, buyer, delivery],
  world: ({ target, other }, rng) => stockShop([target, other], "later page", rng),
  phrasings: ({ target: { name }, quantity, buyer, delivery }) => [
    `Order ${quantity} of the product "${name.toLowerCase()}" for "${buyer}" with ${delivery} delivery.`,
    `Search for "${name.toLowerCase()}", add ${quantity} of it to the cart and check out: Full name "${buyer}", Delivery ${delivery}.`,
  ],
  goal({ target, quantity, buyer, delivery }, state) {
    state.orders.push({ name: buyer, delivery, lines: { [target.slug]: Number(quantity) } });
  },
  oracle: steps,
  wrong: (params) => steps({ ...params, buyer: params.buyer.split(" ")[0] ?? "" }),
});
