/** The day the booking site takes for today; bookings start the day after. ISO dates throughout. */
export const TODAY = "2026-01-15";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const DAY_MS = 86_400_000;

/** The date `days` after another. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** "14 February 2026". */
export function longDate(date: string): string {
  const [year = "", month = "", day = ""] = date.split("-");
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** Months from one date's month to another's. */
export function monthsBetween(from: string, to: string): number {
  const count = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
  return count(to) - count(from);
}

/** Whether a text is a date that can be booked. */
export function isBookable(date: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) && date > TODAY && addDays(date, 0) === date;
}
