import { document, type Html, html, options, raw } from "../core/html.ts";
import { viewPath } from "../core/view.ts";
import {
  CATEGORIES,
  COLOURS,
  DELIVERIES,
  findProducts,
  money,
  type Order,
  PER_PAGE,
  type Product,
  type ShopState,
  SORTS,
  SWATCHES,
} from "./state.ts";

export const SHOP_TITLE = "Larder & Loom";

const CSS = `
*{box-sizing:border-box}body{margin:0;font:13px/1.35 Georgia,serif;color:#33291d;background:#f7f1e6}
header{display:flex;align-items:center;gap:12px;background:#3d2f22;color:#f7f1e6;padding:7px 12px}
header a{color:inherit;text-decoration:none;white-space:nowrap}header .logo{font-size:16px;letter-spacing:.4px}
header form{flex:1;display:flex;gap:6px;justify-content:center}header input{width:210px}
input,select,button{font:12px sans-serif;padding:4px 6px;border:1px solid #b9a88c;border-radius:4px;background:#fff;color:#33291d}
button{background:#8a5a2b;border-color:#8a5a2b;color:#fff;cursor:pointer;padding:4px 10px}button:hover{background:#6f461e}
button.quiet{background:transparent;color:#6f461e;border-color:#b9a88c}
main{padding:8px 12px}h1{font-size:18px;margin:4px 0 8px;font-weight:normal}
.bar{display:flex;gap:6px 10px;align-items:center;margin-bottom:8px;font:12px sans-serif}.pick{display:flex;gap:5px;align-items:center}
.grid{display:grid;grid-template-columns:repeat(3,1fr);gap:8px}
.card{background:#fffdf8;border:1px solid #e3d6bd;border-radius:6px;overflow:hidden}
.swatch{height:92px;border-bottom:1px solid #e3d6bd;background-image:repeating-linear-gradient(45deg,#fff2 0 6px,transparent 6px 14px)!important}.pages a{color:#6f461e}.card div.in{padding:6px 9px 8px}
.card a,td a{color:#33291d;font-weight:bold;text-decoration:none}.card a:hover,td a:hover{text-decoration:underline}
.row{display:flex;justify-content:space-between;align-items:center;margin-top:5px}.soft{color:#7b6a52;font:12px sans-serif}
table{width:100%;border-collapse:collapse;background:#fffdf8;border:1px solid #e3d6bd}td,th{padding:6px 9px;border-top:1px solid #e3d6bd;text-align:left}
th{font:12px sans-serif;color:#7b6a52}td.end{text-align:right;white-space:nowrap}
.two{display:grid;grid-template-columns:200px 1fr;gap:18px}.two .swatch{height:240px;border:1px solid #e3d6bd;border-radius:6px}
.field{display:grid;grid-template-columns:90px 220px;align-items:center;margin:8px 0;font:13px sans-serif}
.total{display:flex;justify-content:flex-end;gap:14px;align-items:center;margin-top:10px}.go{background:#8a5a2b;color:#fff;padding:5px 12px;border-radius:4px;text-decoration:none;font:13px sans-serif}
`;

function page(state: ShopState, title: string, content: Html, q = ""): string {
  const count = Object.values(state.cart).reduce((sum, quantity) => sum + quantity, 0);
  const body = html`<header><a class="logo" href="/">${SHOP_TITLE}</a>
    <form action="/"><input name="q" aria-label="Search" placeholder="Search" value="${q}" autocomplete="off"><button>Search</button></form>
    <a href="/cart">Cart (${count})</a></header><main>${content}</main>`;
  return document({ title: `${title} - ${SHOP_TITLE}`, css: CSS, body });
}

export interface ListQuery {
  q: string;
  category: string;
  colour: string;
  sort: string;
  page: number;
}

/** The list of products, six a page. */
export function listPage(state: ShopState, query: ListQuery): string {
  const found = findProducts(state.products, query);
  const shown = found.slice((query.page - 1) * PER_PAGE, query.page * PER_PAGE);
  const { q, category, colour, sort } = query;
  const self = (page: number) =>
    viewPath("/", { q, category, colour, sort, page: page > 1 ? String(page) : "" });
  const pick = (label: string, name: string, any: string, values: readonly string[], chosen: string) =>
    html`<span class="pick"><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">${any}</option>${options(values, chosen)}</select></span>`;
  const content = html`<form class="bar" action="/">${q !== "" && html`<input type="hidden" name="q" value="${q}">`}
    ${pick("Category", "category", "All", Object.keys(CATEGORIES), category)}
    ${pick("Colour", "colour", "Any", COLOURS, colour)}
    ${pick("Sort", "sort", SORTS[0], SORTS.slice(1), sort)}
    <button>Apply</button><span class="soft">${found.length} ${found.length === 1 ? "product" : "products"}</span></form>
    <div class="grid">${shown.map((product) => card(product, self(query.page)))}</div>
    <div class="row pages">${query.page > 1 ? html`<a href="${self(query.page - 1)}">Previous page</a>` : html`<span></span>`}
    ${found.length > query.page * PER_PAGE && html`<a href="${self(query.page + 1)}">Next page</a>`}</div>`;
  return page(state, q === "" ? "Products" : `Search: ${q}`, content, q);
}

function card(product: Product, back: string): Html {
  return html`<div class="card"><div class="swatch" style="background-color:${SWATCHES[product.colour]}"></div><div class="in">
    <a href="/product/${product.slug}">${product.name}</a>
    <div class="row"><span>${money(product.price)}</span><span class="soft">${product.colour}</span>
    <form method="post" action="/cart/add"><input type="hidden" name="slug" value="${product.slug}">
    <input type="hidden" name="quantity" value="1"><input type="hidden" name="back" value="${back}">
    <button aria-label="Add ${product.name} to cart">Add</button></form></div></div></div>`;
}

/** One product, with a quantity to add. */
export function productPage(state: ShopState, product: Product): string {
  const inCart = state.cart[product.slug] ?? 0;
  const content = html`<div class="two"><div class="swatch" style="background-color:${SWATCHES[product.colour]}"></div><div>
    <h1>${product.name}</h1><p>${money(product.price)}</p><p class="soft">Made by <span>${product.maker}</span></p>
    <p class="soft">Colour: <span>${product.colour}</span></p><p class="soft">Category: <span>${product.category}</span></p>
    <form class="bar" method="post" action="/cart/add"><input type="hidden" name="slug" value="${product.slug}">
    <input type="hidden" name="back" value="/product/${product.slug}">
    <span class="pick"><label for="quantity">Quantity</label><select id="quantity" name="quantity">${options(quantities(), "1")}</select></span><button>Add to cart</button></form>
    ${inCart > 0 && html`<p class="soft">In your cart: ${inCart}</p>`}</div></div>`;
  return page(state, product.name, content);
}

/** The cart: quantities, things put aside, the way to the checkout. */
export function cartPage(state: ShopState): string {
  const lines = state.products.filter(({ slug }) => slug in state.cart);
  const later = state.products.filter(({ slug }) => state.later.includes(slug));
  const total = lines.reduce((sum, { slug, price }) => sum + price * (state.cart[slug] ?? 0), 0);
  const content = html`<h1>Your cart</h1>${
    lines.length === 0
      ? html`<p>Your cart is empty.</p>`
      : html`<form id="quantities" method="post" action="/cart/update"></form><table>${lines.map(
          ({
            slug,
            name,
            price,
          }) => html`<tr><td><a href="/product/${slug}">${name}</a></td><td>${money(price)}</td>
          <td><select form="quantities" name="${slug}" aria-label="Quantity of ${name}">${options(quantities(), String(state.cart[slug]))}</select></td>
          <td class="end">${lineButton("/cart/later", slug, "Save for later", undefined)}</td>
          <td class="end">${lineButton("/cart/remove", slug, "Remove", `Remove ${name}`)}</td></tr>`,
        )}</table><div class="total"><button class="quiet" form="quantities">Update cart</button>
        <span>Total: ${money(total)}</span><a class="go" href="/checkout">Checkout</a></div>`
  }${later.length > 0 && html`<h1>Saved for later</h1><ul>${later.map(({ name }) => html`<li>${name}</li>`)}</ul>`}`;
  return page(state, "Cart", content);
}

function lineButton(action: string, slug: string, label: string, name: string | undefined): Html {
  const aria = name === undefined ? raw("") : html` aria-label="${name}"`;
  return html`<form method="post" action="${action}"><input type="hidden" name="slug" value="${slug}">
    <button class="quiet"${aria}>${label}</button></form>`;
}

/** Name and delivery; `n` makes a second submit of the same form do nothing. */
export function checkoutPage(state: ShopState): string {
  const count = Object.keys(state.cart).length;
  const content = html`<h1>Checkout</h1>${
    count === 0
      ? html`<p>Your cart is empty.</p>`
      : html`<form method="post" action="/checkout"><input type="hidden" name="n" value="${state.orders.length}">
        <div class="field"><label for="name">Full name</label><input id="name" name="name" autocomplete="off"></div>
        <div class="field"><label for="delivery">Delivery</label><select id="delivery" name="delivery">${options(DELIVERIES, "Standard")}</select></div>
        <button>Place order</button></form>`
  }`;
  return page(state, "Checkout", content);
}

/** What was ordered. */
export function orderPage(state: ShopState, order: Order, number: number): string {
  const names = state.products.filter(({ slug }) => slug in order.lines);
  const content = html`<h1>Thank you, ${order.name}</h1><p>Order ${number} is on its way (${order.delivery}).</p>
    <ul>${names.map(({ slug, name }) => html`<li>${order.lines[slug]} × ${name}</li>`)}</ul>`;
  return page(state, "Order", content);
}

function quantities(): string[] {
  return Array.from({ length: 9 }, (_, i) => String(i + 1));
}
