/** One thing a machine has to have, as the doctor found it. */
export interface Finding {
  /** What was looked at, one or two words. */
  name: string;
  /** `note`: not needed to begin with, or worth knowing. */
  status: "ok" | "missing" | "note";
  /** What was found. */
  detail: string;
  /** The command that mends it, or a sentence where no command does. */
  mend?: string;
}
