import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, NOUNS } from "../core/words.ts";
import type { SiteState } from "../types.ts";
import { addDays, TODAY } from "./dates.ts";

export const PAGE_VIEWPORT = { width: 640, height: 480 };

export const ROOMS = ["Single", "Twin", "Double", "Family"] as const;
export type Room = (typeof ROOMS)[number];
export const GUESTS = ["1", "2", "3", "4", "5", "6"] as const;
export const DEFAULT_GUESTS = "2";

/** Invented towns. */
export const CITIES = [
  "Alder Bay",
  "Birch Point",
  "Cedar Cove",
  "Dunmere",
  "Elmstead",
  "Fernhollow",
  "Gullhaven",
  "Hartwell Spa",
  "Inchmoor",
  "Juniper Falls",
  "Kestrel Hill",
  "Larkfield",
  "Mossbridge",
  "Northquay",
  "Otterburn Sands",
  "Pinecrest",
  "Quarrytown",
  "Redcliff",
  "Saltmarsh",
  "Thornbury Lake",
  "Upper Weald",
  "Vinehurst",
  "Westermoor",
  "Yewdale",
] as const;

export interface Stay {
  id: string;
  name: string;
  city: string;
  rating: string;
  /** Dollars a night, by room. */
  prices: Record<Room, number>;
}

/** What is asked for when a room is booked. */
export interface Booking {
  stay: string;
  checkIn: string;
  checkOut: string;
  guests: string;
  room: string;
  name: string;
}

export interface BookingState extends SiteState {
  cities: string[];
  stays: Stay[];
  reservations: (Booking & { status: "booked" | "cancelled" })[];
  /** Entered and not yet confirmed. */
  draft: Booking | null;
}

const KINDS = ["Inn", "Lodge", "House", "Rooms", "Hotel", "Court"] as const;
const CITIES_SHOWN = 10;
const STAYS_PER_CITY = 4;

/** Distinct names of stays there can be, at least. */
export const NAME_COUNT = 50_000;

export function drawStay(rng: Rng, city: string = rng.pick(CITIES)): Stay {
  const name = `${capital(rng.pick(ADJECTIVES))} ${capital(rng.pick(NOUNS))} ${rng.pick(KINDS)}`;
  const base = rng.int(48, 160);
  return {
    id: name.toLowerCase().replaceAll(" ", "-"),
    name,
    city,
    rating: `${rng.int(6, 9)}.${rng.int(0, 9)}`,
    prices: {
      Single: base,
      Twin: base + rng.int(10, 24),
      Double: base + rng.int(25, 44),
      Family: base + rng.int(60, 99),
    },
  };
}

/** A site that offers these stays and others in ten towns, without reservations. */
export function openSite(chosen: readonly Stay[], cities: readonly string[], rng: Rng): BookingState {
  const wanted = new Set([...cities, ...chosen.map(({ city }) => city)]);
  const others = CITIES.filter((city) => !wanted.has(city));
  const shown = [...wanted, ...rng.sample(others, CITIES_SHOWN - wanted.size)].sort();
  const stays = new Map(chosen.map((stay) => [stay.id, stay]));
  for (const city of shown) {
    for (let i = chosen.filter((stay) => stay.city === city).length; i < STAYS_PER_CITY; i++) {
      const stay = drawStay(rng, city);
      if (!stays.has(stay.id)) stays.set(stay.id, stay);
    }
  }
  return { view: "", cities: shown, stays: rng.shuffle([...stays.values()]), reservations: [], draft: null };
}

/** A reservation somebody made earlier. */
export function drawReservation(stay: Stay, name: string, rng: Rng): BookingState["reservations"][number] {
  const checkIn = addDays(TODAY, rng.int(5, 60));
  return {
    stay: stay.id,
    checkIn,
    checkOut: addDays(checkIn, rng.int(1, 7)),
    guests: rng.pick(GUESTS),
    room: rng.pick(ROOMS),
    name,
    status: "booked",
  };
}
