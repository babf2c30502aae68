import { z } from "zod";

/** Everything that decides the course of a training run; saved in run.json. */
export const TrainConfig = z.object({
  /** Seeds weights, task choice and sampling. */
  seed: z.int().nonnegative().default(1),
  /** Training steps: one batch of rollouts and the updates from it. */
  steps: z.int().positive().default(50),
  /** Distinct tasks a step. */
  groupsPerStep: z.int().positive().default(32),
  /** Rollouts of each task. */
  groupSize: z.int().min(2).default(8),
  /** Passes over a step's batch. */
  epochs: z.int().positive().default(3),
  /** Optimiser updates a pass. */
  minibatches: z.int().positive().default(3),
  /** Adam's learning rate, from the first step to the last, linear. */
  learningRate: z.tuple([z.number().positive(), z.number().positive()]).default([2.5e-3, 5e-4]),
  clipLow: z.number().min(0).max(1).default(0.2),
  clipHigh: z.number().min(0).default(0.28),
  /** Entropy bonus, from the first step to the last, linear. */
  entropy: z.tuple([z.number().min(0), z.number().min(0)]).default([0.02, 0.005]),
  /** Entropy bonus on groups that failed throughout. */
  exploration: z.number().min(0).default(0.02),
  gradClip: z.number().min(0).default(1),
  temperature: z.number().positive().default(1),
  /** Sequences more policy versions behind than this are not trained on. */
  maxStaleness: z.int().nonnegative().default(1),
  /** Rollouts at a time. */
  concurrency: z.int().positive().default(4),
  /** Steps between evaluations on the dev split; 0 for none but the first and the last. */
  evalEvery: z.int().nonnegative().default(10),
  /** Temperature of evaluation rollouts; 0 is greedy. */
  evalTemperature: z.number().min(0).default(0),
  /** Dev tasks of each family at an evaluation. */
  evalPerFamily: z.int().positive().default(3),
  /** Families to train on; all when absent. */
  families: z.array(z.string()).optional(),
  /** Highest level to train on. */
  maxLevel: z.int().positive().default(5),
});
export type TrainConfig = z.infer<typeof TrainConfig>;
