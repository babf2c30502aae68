import { document, type Html, html, options } from "../core/html.ts";
import { viewPath } from "../core/view.ts";
import { DATE_PICKER_CSS, DATE_PICKER_SCRIPT, dateField } from "./date-picker.ts";
import { isBookable, longDate } from "./dates.ts";
import { type BookingState, DEFAULT_GUESTS, GUESTS, ROOMS, type Stay } from "./state.ts";

export const BOOKING_TITLE = "Lamplight Stays";

const CSS = `
*{box-sizing:border-box}body{margin:0;font:13px/1.4 sans-serif;color:#16324a;background:#f2f8fb;min-height:480px}
header{display:flex;justify-content:space-between;align-items:center;background:linear-gradient(90deg,#0d4f73,#157a86);padding:9px 16px}
header a{color:#fff;text-decoration:none}header .logo{font-size:17px;font-weight:bold}
main{padding:12px 16px}h1{font-size:18px;margin:2px 0 10px}
input,select,button{font:inherit;padding:6px 9px;border-radius:6px;border:1px solid #9db7c9;background:#fff;color:#16324a}
button{background:#d9652b;border-color:#d9652b;color:#fff;cursor:pointer}button:hover{background:#bd5320}
button.plain{background:#fff;color:#0d4f73;border-color:#9db7c9}button.plain:hover{background:#e3eef4}main a{color:#0d4f73}
.search{display:grid;grid-template-columns:1.25fr .6fr 1.45fr 1.45fr;gap:10px;background:#fff;border:1px solid #cfe0ea;border-radius:10px;padding:12px;align-items:end}
.search label,.form label{display:block;font-size:12px;color:#52748a}.search select{width:100%}.search .end{grid-column:1/-1;text-align:right}
.date{width:100%}.day-field{font-size:12px;padding:6px 7px}
.hit{display:flex;justify-content:space-between;align-items:center;background:#fff;border:1px solid #cfe0ea;border-radius:8px;padding:9px 12px;margin-bottom:8px}
.hit a{color:#0d4f73;font-weight:bold}.soft{color:#52748a;font-size:12px;display:flex;gap:12px}.right{display:flex;gap:10px;align-items:center}
table{border-collapse:collapse;background:#fff;border:1px solid #cfe0ea;width:260px}td{padding:6px 10px;border-top:1px solid #e3eef4}td+td{text-align:right}
.two{display:flex;gap:18px;align-items:flex-start}.form{display:grid;gap:9px;width:300px;background:#fff;border:1px solid #cfe0ea;border-radius:10px;padding:12px}.form input,.form select{width:100%}
dl{display:grid;grid-template-columns:90px 1fr;gap:5px;background:#fff;border:1px solid #cfe0ea;border-radius:8px;padding:12px;margin:0 0 12px;width:360px}dt{color:#52748a}dd{margin:0}
${DATE_PICKER_CSS}`;

function page(title: string, content: Html, script = ""): string {
  const body = html`<header><a class="logo" href="/">${BOOKING_TITLE}</a><a href="/trips">My trips</a></header><main>${content}</main>`;
  return document({ title: `${title} - ${BOOKING_TITLE}`, css: CSS, body, script });
}

/** Where, when and for how many; empty where not chosen. */
export interface Wish {
  city: string;
  in: string;
  out: string;
  guests: string;
}

/** The search form, filled in as far as the address says. */
export function homePage(state: BookingState, wish: Wish): string {
  const content = html`<h1>Find a place to stay</h1><form class="search" action="/results">
    <div><label for="city">City</label><select id="city" name="city"><option value="">Any city</option>${options(state.cities, wish.city)}</select></div>
    <div><label for="guests">Guests</label><select id="guests" name="guests">${options(GUESTS, wish.guests || DEFAULT_GUESTS)}</select></div>
    ${dateField("in", "Check-in", wish.in)}${dateField("out", "Check-out", wish.out)}
    <div class="end"><button>Search</button></div></form>`;
  return page("Search", content, DATE_PICKER_SCRIPT);
}

/** Stays of the city asked for, or of all. */
export function resultsPage(state: BookingState, wish: Wish): string {
  const found = state.stays.filter(({ city }) => wish.city === "" || city === wish.city).slice(0, 8);
  const content = html`<h1>${wish.city === "" ? "All cities" : wish.city}</h1><p class="soft">${dates(wish)}</p>
    ${found.map(
      ({
        id,
        name,
        city,
        rating,
        prices,
      }) => html`<div class="hit"><div><a href="${viewPath(`/stay/${id}`, { in: wish.in, out: wish.out, guests: wish.guests })}">${name}</a>
        <div class="soft"><span>${city}</span><span>Rated ${rating}</span></div></div><span>from $${prices.Single}</span></div>`,
    )}<a href="${viewPath("/", { ...wish })}">Change search</a>`;
  return page("Results", content);
}

function dates(wish: Omit<Wish, "city">): Html {
  const chosen = isBookable(wish.in) && isBookable(wish.out);
  return chosen
    ? html`<span>${longDate(wish.in)} to ${longDate(wish.out)}</span><span>${party(wish.guests || DEFAULT_GUESTS)}</span>`
    : html`<span>No dates chosen</span>`;
}

/** One stay with its prices and, where dates are chosen, the form to book it. */
export function stayPage(stay: Stay, wish: Omit<Wish, "city">): string {
  const ready = isBookable(wish.in) && isBookable(wish.out) && wish.in < wish.out;
  const content = html`<h1>${stay.name}</h1><p class="soft"><span>${stay.city}</span><span>Rated ${stay.rating}</span>${dates(wish)}</p>
    <div class="two"><table>${ROOMS.map((room) => html`<tr><td>${room}</td><td>$${stay.prices[room]} a night</td></tr>`)}</table>
    ${
      ready
        ? html`<form class="form" method="post" action="/draft"><input type="hidden" name="stay" value="${stay.id}">
        <input type="hidden" name="in" value="${wish.in}"><input type="hidden" name="out" value="${wish.out}"><input type="hidden" name="guests" value="${wish.guests || DEFAULT_GUESTS}">
        <div><label for="room">Room</label><select id="room" name="room">${options(ROOMS, ROOMS[0])}</select></div>
        <div><label for="name">Full name</label><input id="name" name="name" autocomplete="off"></div><div><button>Continue</button></div></form>`
        : html`<p><a href="/">Choose dates first</a></p>`
    }</div>`;
  return page(stay.name, content);
}

/** What is about to be booked. */
export function confirmPage(state: BookingState): string {
  const { draft } = state;
  if (!draft)
    return page("Confirm", html`<h1>Nothing to confirm</h1><p><a href="/">Find a place to stay</a></p>`);
  const content = html`<h1>Check your booking</h1><dl><dt>Stay</dt><dd>${nameOf(state, draft.stay)}</dd>
    <dt>Check-in</dt><dd>${longDate(draft.checkIn)}</dd><dt>Check-out</dt><dd>${longDate(draft.checkOut)}</dd>
    <dt>Guests</dt><dd>${draft.guests}</dd><dt>Room</dt><dd>${draft.room}</dd><dt>Name</dt><dd>${draft.name}</dd></dl>
    <form method="post" action="/confirm"><button>Confirm booking</button></form>`;
  return page("Confirm", content);
}

/** All reservations, with a way to change and to cancel each that stands. */
export function tripsPage(state: BookingState): string {
  const content = html`<h1>My trips</h1>${state.reservations.length === 0 && html`<p>No trips yet.</p>`}
    ${state.reservations.map(
      (trip, i) => html`<div class="hit"><div><a href="/trip/${i}">${nameOf(state, trip.stay)}</a>
        <div class="soft"><span>${longDate(trip.checkIn)}</span><span>${trip.room}, ${party(trip.guests)}</span></div></div>
        <div class="right">${
          trip.status === "booked"
            ? html`<form action="/trip/${i}/cancel"><button class="plain" aria-label="Cancel ${nameOf(state, trip.stay)}">Cancel</button></form>`
            : html`<span>Cancelled</span>`
        }</div></div>`,
    )}`;
  return page("My trips", content);
}

/** One reservation: room and guests can be changed. */
export function tripPage(state: BookingState, index: number): string | undefined {
  const trip = state.reservations[index];
  if (!trip) return undefined;
  const content = html`<h1>${nameOf(state, trip.stay)}</h1><p class="soft"><span>${longDate(trip.checkIn)} to ${longDate(trip.checkOut)}</span></p>
    <form class="form" method="post" action="/trip/${index}">
    <div><label for="room">Room</label><select id="room" name="room">${options(ROOMS, trip.room)}</select></div>
    <div><label for="guests">Guests</label><select id="guests" name="guests">${options(GUESTS, trip.guests)}</select></div>
    <div><button>Save booking</button></div></form>`;
  return page(nameOf(state, trip.stay), content);
}

/** Asks once more before a reservation is cancelled. */
export function cancelPage(state: BookingState, index: number): string | undefined {
  const trip = state.reservations[index];
  if (!trip) return undefined;
  const content = html`<h1>Cancel this booking?</h1><p>${nameOf(state, trip.stay)}, ${longDate(trip.checkIn)}</p>
    <form class="right" method="post" action="/trip/${index}/cancel"><button>Yes, cancel booking</button><a href="/trips">Keep booking</a></form>`;
  return page("Cancel booking", content);
}

function party(guests: string): string {
  return guests === "1" ? "1 guest" : `${guests} guests`;
}

function nameOf(state: BookingState, id: string): string {
  return state.stays.find((stay) => stay.id === id)?.name ?? id;
}
