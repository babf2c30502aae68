import { expect, test } from "vitest";
import { addDays, isBookable, longDate, monthsBetween } from "../../sites/booking/dates.ts";
import { safePath, viewOf, viewPath } from "../../sites/core/view.ts";

test("days are added over the ends of months and years", () => {
  expect(addDays("2026-01-31", 1)).toBe("2026-02-01");
  expect(addDays("2026-02-28", 1)).toBe("2026-03-01");
  expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
});

test("dates are written as an instruction says them", () => {
  expect(longDate("2026-03-05")).toBe("5 March 2026");
  expect(monthsBetween("2026-11-30", "2027-02-01")).toBe(3);
});

test("only days after the site's today can be booked", () => {
  expect(isBookable("2026-01-16")).toBe(true);
  expect(isBookable("2026-01-15")).toBe(false);
  expect(isBookable("2026-02-30")).toBe(false);
  expect(isBookable("soon")).toBe(false);
});

test("one page has one address, whatever the order of its parameters", () => {
  expect(viewOf("/?sort=Name&q=&category=Kitchen")).toBe("/?category=Kitchen&sort=Name");
  expect(viewPath("/", { category: "Kitchen", q: "", sort: "Name" })).toBe("/?category=Kitchen&sort=Name");
  expect(viewPath("/cart", {})).toBe("/cart");
});

test("a form leads back to the site only", () => {
  expect(safePath("/cart?x=1")).toBe("/cart?x=1");
  for (const path of ["//example.org", "https://example.org", "/\\example.org", ""])
    expect(safePath(path)).toBe("/");
});
