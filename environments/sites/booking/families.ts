import { defineFamily } from "../core/family.ts";
import { answer, choose, click, fill, guess, type Script } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { viewPath } from "../core/view.ts";
import { FAMILY_NAMES, GIVEN_NAMES } from "../core/words.ts";
import { addDays, longDate, monthsBetween, TODAY } from "./dates.ts";
import {
  type BookingState,
  CITIES,
  DEFAULT_GUESTS,
  drawReservation,
  drawStay,
  GUESTS,
  NAME_COUNT,
  openSite,
  PAGE_VIEWPORT,
  ROOMS,
  type Stay,
} from "./state.ts";

const BOOKING = { viewport: PAGE_VIEWPORT } as const;
const OTHER_GUESTS = GUESTS.filter((count) => count !== DEFAULT_GUESTS);

/** Opens a date field's calendar, turns to the month and takes the day. */
function pickDate(field: string, date: string, from: string = TODAY): Script {
  const turns = Array.from({ length: monthsBetween(from, date) }, () => click("button", "Next month"));
  return [click("button", field), ...turns, click("button", longDate(date))];
}

const chooseCity = defineFamily<{ city: string; guests: string; other: string }, BookingState>({
  ...BOOKING,
  id: "booking/choose-city",
  level: 3,
  maxSteps: 5,
  title: "Search for a city and a number of guests",
  distinct: CITIES.length * (CITIES.length - 1) * OTHER_GUESTS.length,
  draw(rng) {
    const [city = "", other = ""] = rng.sample(CITIES, 2);
    return { city, other, guests: rng.pick(OTHER_GUESTS) };
  },
  world: ({ city, other }, rng) => openSite([], [city, other], rng),
  phrasings: ({ city, guests }) => [
    `Set City to ${city} and Guests to ${guests}, then press Search.`,
    `Search for places to stay: City ${city}, Guests ${guests}.`,
  ],
  goal({ city, guests }, state) {
    state.view = viewPath("/results", { city, guests });
  },
  oracle: ({ city, guests }) => [choose("City", city), choose("Guests", guests), click("button", "Search")],
  wrong: ({ other, guests }) => [choose("City", other), choose("Guests", guests), click("button", "Search")],
});

const pickOneDate = defineFamily<{ city: string; date: string }, BookingState>({
  ...BOOKING,
  id: "booking/pick-date",
  level: 3,
  maxSteps: 6,
  title: "Choose a check-in date in the calendar, this month or next, and search",
  distinct: CITIES.length * 44,
  draw: (rng) => ({ city: rng.pick(CITIES), date: addDays(TODAY, rng.int(1, 44)) }),
  world: ({ city }, rng) => openSite([], [city], rng),
  startPath: ({ city }) => viewPath("/", { city }),
  phrasings: ({ date }) => [
    `Set Check-in to ${longDate(date)} and press Search.`,
    `Choose ${longDate(date)} as the Check-in date, then press Search.`,
  ],
  goal({ city, date }, state) {
    state.view = viewPath("/results", { city, in: date, guests: DEFAULT_GUESTS });
  },
  oracle: ({ date }) => [...pickDate("Check-in", date), click("button", "Search")],
  wrong: ({ date }) => [...pickDate("Check-out", date), click("button", "Search")],
});

interface Dates {
  city: string;
  checkIn: string;
  checkOut: string;
}

/** A stay of one to nine nights that ends in the month it starts in, at most two months ahead. */
function drawDates(rng: Rng): Dates {
  for (;;) {
    const checkIn = addDays(TODAY, rng.int(1, 74));
    const checkOut = addDays(checkIn, rng.int(1, 9));
    if (monthsBetween(checkIn, checkOut) === 0) return { city: rng.pick(CITIES), checkIn, checkOut };
  }
}

function pickDates({ checkIn, checkOut }: Dates): Script {
  return [...pickDate("Check-in", checkIn), ...pickDate("Check-out", checkOut, checkIn)];
}

const pickTwoDates = defineFamily<Dates, BookingState>({
  ...BOOKING,
  id: "booking/pick-dates",
  level: 4,
  maxSteps: 9,
  title: "Choose check-in and check-out in the calendar and search",
  distinct: CITIES.length * 400,
  draw: drawDates,
  world: ({ city }, rng) => openSite([], [city], rng),
  startPath: ({ city }) => viewPath("/", { city }),
  phrasings: ({ checkIn, checkOut }) => [
    `Set Check-in to ${longDate(checkIn)} and Check-out to ${longDate(checkOut)}, then press Search.`,
    `Search for a stay with Check-in ${longDate(checkIn)} and Check-out ${longDate(checkOut)}.`,
  ],
  goal({ city, checkIn, checkOut }, state) {
    state.view = viewPath("/results", { city, in: checkIn, out: checkOut, guests: DEFAULT_GUESTS });
  },
  oracle: (params) => [...pickDates(params), click("button", "Search")],
  wrong: ({ checkIn }) => [...pickDate("Check-in", checkIn), click("button", "Search")],
});

interface Trip {
  target: Stay;
  other: Stay;
  room: string;
  guests: string;
}

function drawTrip(rng: Rng): Trip {
  const target = drawStay(rng);
  let other = drawStay(rng);
  while (other.id === target.id) other = drawStay(rng);
  return { target, other, room: rng.pick(ROOMS), guests: rng.pick(GUESTS) };
}

function person(rng: Rng): string {
  return `${rng.pick(GIVEN_NAMES)} ${rng.pick(FAMILY_NAMES)}`;
}

/** A site where three stays are booked, the target not yet as the trip wants it. */
function withTrips({ target, other, room, guests }: Trip, rng: Rng): BookingState {
  const state = openSite([target, other], [], rng);
  const third = state.stays.find(({ id }) => id !== target.id && id !== other.id) as Stay;
  const name = person(rng);
  state.reservations = rng.shuffle([target, other, third]).map((stay) => drawReservation(stay, name, rng));
  for (const trip of state.reservations) {
    if (trip.stay !== target.id) continue;
    trip.room = rng.pick(ROOMS.filter((kind) => kind !== room));
    trip.guests = rng.pick(GUESTS.filter((count) => count !== guests));
  }
  return state;
}

function tripOf(state: BookingState, { target }: Trip) {
  return state.reservations.find(({ stay }) => stay === target.id) as BookingState["reservations"][number];
}

const cancelTrip = defineFamily<Trip, BookingState>({
  ...BOOKING,
  id: "booking/cancel-trip",
  level: 3,
  maxSteps: 4,
  title: "Cancel a booking and confirm it on the next page",
  distinct: NAME_COUNT,
  draw: drawTrip,
  key: ({ target }) => target.name,
  world: withTrips,
  startPath: () => "/trips",
  phrasings: ({ target: { name } }) => [
    `Cancel the booking at ${name}.`,
    `Cancel ${name} and answer Yes, cancel booking.`,
  ],
  goal(params, state) {
    tripOf(state, params).status = "cancelled";
  },
  oracle: ({ target }) => [click("button", `Cancel ${target.name}`), click("button", "Yes, cancel booking")],
  wrong: ({ target }) => [click("button", `Cancel ${target.name}`), click("link", "Keep booking")],
});

const changeTrip = defineFamily<Trip, BookingState>({
  ...BOOKING,
  id: "booking/change-trip",
  level: 4,
  maxSteps: 6,
  title: "Open a booking, change room and guests, and save",
  distinct: NAME_COUNT,
  draw: drawTrip,
  key: ({ target, room, guests }) => [target.name, room, guests],
  world: withTrips,
  startPath: () => "/trips",
  phrasings: ({ target: { name }, room, guests }) => [
    `Open ${name}, set Room to ${room} and Guests to ${guests}, and press Save booking.`,
    `Change the booking at ${name}: Room ${room}, Guests ${guests}. Save the booking.`,
  ],
  goal(params, state) {
    const trip = tripOf(state, params);
    trip.room = params.room;
    trip.guests = params.guests;
  },
  oracle: (params) => change(params, params.target),
  wrong: (params) => change(params, params.other),
});

function change({ room, guests }: Trip, { name }: Stay): Script {
  return [
    click("link", name),
    choose("Room", room),
    choose("Guests", guests),
    click("button", "Save booking"),
  ];
}

const askPrice = defineFamily<Trip, BookingState>({
  ...BOOKING,
  id: "booking/ask-price",
  level: 3,
  maxSteps: 5,
  title: "Say what a room costs (a question; the answer is two pages away)",
  distinct: NAME_COUNT,
  draw: drawTrip,
  key: ({ target, room }) => [target.name, room],
  world: ({ target, other }, rng) => openSite([target, other], [], rng),
  phrasings: ({ target: { name, city }, room }) => [
    `What does a ${room} room at ${name} in ${city} cost for one night?`,
    `Set City to ${city}, press Search, open ${name} and say the price of a ${room} room for a night.`,
  ],
  answer: ({ target, room }) => priceOf(target, room),
  oracle: ({ target, room }) => [...find(target), answer(priceOf(target, room))],
  wrong: ({ target, room }) => [
    ...find(target),
    guess(priceOf(target, ROOMS.find((kind) => kind !== room) ?? "")),
  ],
});

function priceOf({ prices }: Stay, room: string): string {
  return `$${prices[ROOMS.find((kind) => kind === room) ?? "Single"]}`;
}

function find({ city, name }: Stay): Script {
  return [choose("City", city), click("button", "Search"), click("link", name)];
}

interface Wanted extends Trip {
  dates: Dates;
  name: string;
}

function drawWanted(rng: Rng): Wanted {
  const trip = drawTrip(rng);
  return {
    ...trip,
    room: rng.pick(ROOMS.slice(1)),
    guests: rng.pick(OTHER_GUESTS),
    dates: { ...drawDates(rng), city: trip.target.city },
    name: person(rng),
  };
}

function book({ target, dates, guests, room, name }: Wanted, state: BookingState): void {
  const { checkIn, checkOut } = dates;
  state.reservations.push({ stay: target.id, checkIn, checkOut, guests, room, name, status: "booked" });
}

/** The last leg of a booking: from the stay's page to the end. */
function reserve({ room, name }: { room: string; name: string }): Script {
  return [
    choose("Room", room),
    fill("Full name", name),
    click("button", "Continue"),
    click("button", "Confirm booking"),
  ];
}

const reserveRoom = defineFamily<Wanted, BookingState>({
  ...BOOKING,
  id: "booking/reserve-room",
  level: 4,
  maxSteps: 6,
  title: "Book a room of the place on the page and confirm",
  distinct: NAME_COUNT,
  draw: drawWanted,
  key: ({ target, room, name }) => [target.name, room, name],
  world: ({ target, other }, rng) => openSite([target, other], [], rng),
  startPath: ({ target, dates, guests }) =>
    viewPath(`/stay/${target.id}`, { in: dates.checkIn, out: dates.checkOut, guests }),
  phrasings: ({ room, name }) => [
    `Set Room to ${room}, type "${name}" as Full name, press Continue and Confirm booking.`,
    `Book a ${room} room here for "${name}" and confirm the booking.`,
  ],
  goal: book,
  oracle: reserve,
  wrong: (params) => reserve(params).slice(0, -1),
});

const bookRoom = defineFamily<Wanted, BookingState>({
  ...BOOKING,
  id: "booking/book-room",
  level: 5,
  maxSteps: 19,
  title: "Book a room from the search to the confirmation",
  distinct: NAME_COUNT * 100,
  draw: drawWanted,
  key: ({ target, room, name, dates, guests }) => [target.name, room, name, dates, guests],
  world: ({ target, other }, rng) => openSite([target, other], [], rng),
  phrasings: ({ target: { name: place, city }, dates: { checkIn, checkOut }, guests, room, name }) => [
    `Book a ${room} room at ${place} in ${city} for "${name}": Check-in ${longDate(checkIn)}, Check-out ${longDate(checkOut)}, Guests ${guests}. Confirm the booking.`,
    `Set City to ${city}, Guests to ${guests}, Check-in to ${longDate(checkIn)} and Check-out to ${longDate(checkOut)} and press Search. Open ${place}, set Room to ${room}, type "${name}" as Full name, press Continue and Confirm booking.`,
  ],
  goal: book,
  oracle: (params) => [
    choose("City", params.target.city),
    choose("Guests", params.guests),
    ...pickDates(params.dates),
    click("button", "Search"),
    click("link", params.target.name),
    ...reserve(params),
  ],
  wrong: (params) => [
    choose("City", params.target.city),
    ...pickDates(params.dates),
    click("button", "Search"),
    click("link", params.target.name),
    ...reserve(params),
  ],
});

/** All families of the booking site. */
export const bookingFamilies = [
  chooseCity,
  pickOneDate,
  cancelTrip,
  askPrice,
  pickTwoDates,
  changeTrip,
  reserveRoom,
  bookRoom,
];
