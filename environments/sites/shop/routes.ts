import { defineSite, formText, queryText } from "../core/site.ts";
import { safePath } from "../core/view.ts";
import { cartPage, checkoutPage, listPage, orderPage, productPage, SHOP_TITLE } from "./pages.ts";
import type { ShopState } from "./state.ts";

/** Most of one product that a cart holds. */
const MOST = 9;

/** A shop for the house: search, filters, product pages, cart and checkout. */
export const shopSite = defineSite<ShopState>(
  { name: "shop", title: SHOP_TITLE, description: "A shop: search, filters, product pages, cart, checkout." },
  (router, state) => {
    router.get("/", (req, res) => {
      const page = Math.max(1, Math.trunc(Number(queryText(req, "page"))) || 1);
      const [q, category, colour, sort] = ["q", "category", "colour", "sort"].map((name) =>
        queryText(req, name),
      );
      res.send(
        listPage(state(res), {
          q: q ?? "",
          category: category ?? "",
          colour: colour ?? "",
          sort: sort ?? "",
          page,
        }),
      );
    });

    router.get("/product/:slug", (req, res, next) => {
      const product = state(res).products.find(({ slug }) => slug === req.params.slug);
      if (product) res.send(productPage(state(res), product));
      else next();
    });

    router.post("/cart/add", (req, res) => {
      const { cart, products } = state(res);
      const slug = formText(req, "slug");
      const quantity = quantityOf(formText(req, "quantity"));
      if (quantity && products.some((product) => product.slug === slug)) {
        cart[slug] = Math.min(MOST, (cart[slug] ?? 0) + quantity);
      }
      res.redirect(303, safePath(formText(req, "back")));
    });

    router.get("/cart", (_req, res) => {
      res.send(cartPage(state(res)));
    });

    router.post("/cart/update", (req, res) => {
      const { cart } = state(res);
      for (const slug of Object.keys(cart)) {
        const quantity = quantityOf(formText(req, slug));
        if (quantity) cart[slug] = quantity;
      }
      res.redirect(303, "/cart");
    });

    router.post("/cart/remove", (req, res) => {
      delete state(res).cart[formText(req, "slug")];
      res.redirect(303, "/cart");
    });

    router.post("/cart/later", (req, res) => {
      const shop = state(res);
      const slug = formText(req, "slug");
      if (slug in shop.cart) {
        delete shop.cart[slug];
        shop.later = [...new Set([...shop.later, slug])].sort();
      }
      res.redirect(303, "/cart");
    });

    router.get("/checkout", (_req, res) => {
      res.send(checkoutPage(state(res)));
    });

    router.post("/checkout", (req, res) => {
      const shop = state(res);
      const name = formText(req, "name");
      const fresh = formText(req, "n") === String(shop.orders.length);
      if (fresh && name === "") return res.redirect(303, "/checkout");
      if (fresh && Object.keys(shop.cart).length > 0) {
        shop.orders.push({ name, delivery: formText(req, "delivery"), lines: shop.cart });
        shop.cart = {};
      }
      res.redirect(303, `/order/${shop.orders.length}`);
    });

    router.get("/order/:number", (req, res, next) => {
      const number = Number(req.params.number);
      const order = state(res).orders[number - 1];
      if (order) res.send(orderPage(state(res), order, number));
      else next();
    });
  },
);

function quantityOf(text: string): number | undefined {
  const quantity = Number(text);
  return Number.isInteger(quantity) && quantity >= 1 && quantity <= MOST ? quantity : undefined;
}
