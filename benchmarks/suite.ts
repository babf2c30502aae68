import type { Split, Task } from "@openforgerl/contracts/task";
import type { Judge } from "@openforgerl/contracts/verdict";

/** A family of tasks as a suite offers it. */
export interface FamilyInfo {
  id: string;
  /** 1 is easiest. */
  level: number;
  title: string;
}

/** Which tasks of a suite to take. */
export interface TaskSelection {
  split: Split;
  /** Take these families only; all when absent. */
  families?: readonly string[];
  /** Tasks of each family. */
  perFamily: number;
  /** First seed; task i of a family has seed `firstSeed + i`. */
  firstSeed?: number;
}

/** A benchmark: tasks and the judge that scores them. */
export interface Suite {
  readonly name: string;
  /** Identifies the task data and generators exactly. */
  readonly revision: string;
  readonly judge: Judge;
  families(): FamilyInfo[];
  /**
   * One task.
   * @throws ForgeError input/bad_input for an unknown family.
   */
  task(family: string, seed: number, split: Split): Task;
  /** Tasks of a split, family by family. */
  tasks(selection: TaskSelection): Task[];
}
