import { defineFamily } from "../core/family.ts";
import { answer, choose, click, guess } from "../core/moves.ts";
import { viewPath } from "../core/view.ts";
import { add, drawPair, type Pair, pairKey, search } from "./pair.ts";
import {
  CATEGORIES,
  drawProduct,
  findProducts,
  money,
  NAME_COUNT,
  PAGE_VIEWPORT,
  type Product,
  type ShopState,
  SORTS,
  stockShop,
} from "./state.ts";

const SHOP = { viewport: PAGE_VIEWPORT } as const;

const openProduct = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/open-product",
  level: 2,
  maxSteps: 2,
  title: "Open the page of a product in the list",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: ({ target, other }, rng) => stockShop([target, other], "first page", rng),
  phrasings: ({ target: { name } }) => [
    `Open the page of the ${name}.`,
    `Show me the ${name}.`,
    `Click on ${name} to see its details.`,
  ],
  goal({ target }, state) {
    state.view = `/product/${target.slug}`;
  },
  oracle: ({ target }) => [click("link", target.name)],
  wrong: ({ other }) => [click("link", other.name)],
});

function filterMoves(params: { category: string; colour: string; sort: string }): [string, string][] {
  const all: [string, string][] = [
    ["Category", params.category],
    ["Colour", params.colour],
    ["Sort", params.sort],
  ];
  return all.filter(([, option]) => option !== "");
}

const filterList = defineFamily<
  { category: string; colour: string; sort: string; product: Product },
  ShopState
>({
  ...SHOP,
  id: "shop/filter",
  level: 3,
  maxSteps: 5,
  title: "Set category, colour or order of the list, two of the three or all",
  distinct: 153,
  draw(rng) {
    const category = rng.pick(Object.keys(CATEGORIES));
    const product = drawProduct(rng, category);
    const left = rng.int(0, 3);
    return {
      category: left === 2 ? "" : category,
      colour: left === 1 ? "" : product.colour,
      sort: left === 0 ? "" : rng.pick(SORTS.slice(1)),
      product,
    };
  },
  key: ({ category, colour, sort }) => [category, colour, sort],
  world: ({ product }, rng) => stockShop([product], "later page", rng),
  phrasings(params) {
    const wishes = filterMoves(params).map(([name, option]) => `${name} to ${option}`);
    return [
      `Set ${wishes.join(" and ")}, then press Apply.`,
      `In the bar above the list set ${wishes.join(", ")} and apply it.`,
    ];
  },
  goal({ category, colour, sort }, state) {
    state.view = viewPath("/", { category, colour, sort });
  },
  oracle: (params) => [
    ...filterMoves(params).map(([name, option]) => choose(name, option)),
    click("button", "Apply"),
  ],
  wrong: (params) => [
    ...filterMoves(params)
      .slice(1)
      .map(([name, option]) => choose(name, option)),
    click("button", "Apply"),
  ],
});

const cheapest = defineFamily<{ target: Product; others: Product[] }, ShopState>({
  ...SHOP,
  id: "shop/cheapest",
  level: 4,
  maxSteps: 6,
  title: "Add the cheapest product of a category to the cart (its name is not in the instruction)",
  distinct: 1000,
  draw(rng) {
    const category = rng.pick(Object.keys(CATEGORIES));
    const products = new Map<string, Product>();
    while (products.size < 4) {
      const product = drawProduct(rng, category);
      products.set(product.slug, product);
    }
    const [target, ...others] = [...products.values()];
    return { target: target as Product, others };
  },
  key: ({ target, others }) => [target.name, ...others.map(({ name }) => name)],
  world({ target, others }, rng) {
    const state = stockShop([target, ...others], "later page", rng);
    const rivals = state.products.filter(({ category }) => category === target.category);
    const lowest = Math.min(...rivals.map(({ price }) => price));
    for (const product of state.products) {
      if (product.category === target.category) product.price += 700;
      if (product.slug === target.slug) product.price = lowest + 100;
    }
    return state;
  },
  phrasings: ({ target: { category } }) => [
    `Add the cheapest product in the category ${category} to the cart.`,
    `Set Category to ${category} and Sort to ${SORTS[1]}, press Apply and add the first product to the cart.`,
  ],
  goal({ target }, state) {
    state.cart[target.slug] = 1;
  },
  oracle: ({ target }) => [
    choose("Category", target.category),
    choose("Sort", SORTS[1]),
    click("button", "Apply"),
    add(target.name),
  ],
  wrong({ target }, { products }) {
    const { category } = target;
    const listed = findProducts(products, { q: "", category, colour: "", sort: "" });
    const taken = listed.find(({ slug }) => slug !== target.slug) as Product;
    return [choose("Category", category), click("button", "Apply"), add(taken.name)];
  },
});

const priceQuestion = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/ask-price",
  level: 3,
  maxSteps: 4,
  title: "Say what a product costs (a question)",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: ({ target, other }, rng) => stockShop([target, other], "later page", rng),
  phrasings: ({ target: { name } }) => [
    `What does the "${name.toLowerCase()}" cost?`,
    `Search for "${name.toLowerCase()}" and say its price.`,
  ],
  answer: ({ target }) => money(target.price),
  oracle: ({ target }) => [search(target.name), answer(money(target.price))],
  wrong: ({ target }) => [search(target.name), guess(money(target.price + 100))],
});

const makerQuestion = defineFamily<Pair, ShopState>({
  ...SHOP,
  id: "shop/ask-maker",
  level: 3,
  maxSteps: 4,
  title: "Say who makes a product (a question; only the product's own page tells)",
  distinct: NAME_COUNT,
  draw: drawPair,
  key: pairKey,
  world: ({ target, other }, rng) => stockShop([target, other], "first page", rng),
  phrasings: ({ target: { name } }) => [
    `Who makes the ${name}?`,
    `Open the page of the ${name} and say who it is made by.`,
  ],
  answer: ({ target }) => target.maker,
  oracle: ({ target }) => [click("link", target.name), answer(target.maker)],
  wrong: ({ target, other }) => [click("link", target.name), guess(`${other.maker} Sons`)],
});

/** Families on finding products and reading about them. */
export const shopListFamilies = [openProduct, filterList, cheapest, priceQuestion, makerQuestion];
