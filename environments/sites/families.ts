import { inputError } from "@openforgerl/contracts/errors";
import { clickFamilies } from "./board/click-families.ts";
import { controlFamilies } from "./board/control-families.ts";
import { formFamilies } from "./board/form-families.ts";
import { pictureFamilies } from "./board/picture-families.ts";
import { boardSite } from "./board/routes.ts";
import { bookingFamilies } from "./booking/families.ts";
import { bookingSite } from "./booking/routes.ts";
import { codeFamilies } from "./code/families.ts";
import { longCodeFamilies } from "./code/long-families.ts";
import { codeSite } from "./code/routes.ts";
import type { Site } from "./core/site.ts";
import { facetFamilies } from "./papers/facet-families.ts";
import { paperFamilies } from "./papers/families.ts";
import { papersSite } from "./papers/routes.ts";
import { settingsFamilies } from "./settings/families.ts";
import { settingsSite } from "./settings/routes.ts";
import { shopCartFamilies } from "./shop/cart-families.ts";
import { shopListFamilies } from "./shop/list-families.ts";
import { placeOrder } from "./shop/order-family.ts";
import { shopSite } from "./shop/routes.ts";
import type { GeneratedTask, SiteInfo, TaskFamily, TaskRequest } from "./types.ts";

const SITES: readonly Site[] = [boardSite, shopSite, papersSite, bookingSite, codeSite, settingsSite];

const FAMILIES: readonly TaskFamily[] = [
  ...pictureFamilies,
  ...clickFamilies,
  ...controlFamilies,
  ...formFamilies,
  ...shopListFamilies,
  ...shopCartFamilies,
  placeOrder,
  ...paperFamilies,
  ...facetFamilies,
  ...bookingFamilies,
  ...codeFamilies,
  ...longCodeFamilies,
  ...settingsFamilies,
].sort((a, b) => siteIndex(a) - siteIndex(b) || a.level - b.level);

function siteIndex({ site }: TaskFamily): number {
  return SITES.findIndex(({ name }) => name === site);
}

const BY_ID = new Map(FAMILIES.map((family) => [family.id, family]));

/** All sites, in order of introduction. */
export function listSites(): readonly SiteInfo[] {
  return SITES;
}

/** The site of that name, with its request handler; for the site server. */
export function findSite(name: string): Site | undefined {
  return SITES.find((site) => site.name === name);
}

/** All task families, easiest first within each site. */
export function listFamilies(): readonly TaskFamily[] {
  return FAMILIES;
}

/**
 * The family of that id.
 * @throws ForgeError input/bad_input that lists the families nearest in name.
 */
export function getFamily(id: string): TaskFamily {
  const family = BY_ID.get(id);
  if (family) return family;
  const near = FAMILIES.map((candidate) => ({ id: candidate.id, distance: distance(id, candidate.id) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5);
  throw inputError(
    "There is no task family of that name",
    id,
    `Nearest: ${near.map((candidate) => candidate.id).join(", ")}.`,
  );
}

/**
 * The task of this seed in this split, as data.
 * @throws ForgeError input/bad_input for an unknown family, a bad seed or split.
 */
export function generateTask({ family, seed, split }: TaskRequest): GeneratedTask {
  return getFamily(family).instantiate(seed, split).task;
}

/** A lower bound of the number of distinct tasks a family can generate, all splits together. */
export function countDistinct(family: string): number {
  return getFamily(family).distinct;
}

/** Edits between two names (Levenshtein); a shared part after the slash counts as near. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
