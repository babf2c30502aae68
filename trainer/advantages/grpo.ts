/**
 * Group-relative advantages (GRPO, Shao et al. 2024, eq. 3 without process rewards): a_i = (r_i - mean) / std
 * over the group, with the population standard deviation. A group whose rewards are all equal teaches
 * nothing and gets zeros.
 * @param rewards one per episode of the group; NaN marks an episode without a score, which is left out of the
 * statistics and gets 0.
 */
export function grpoAdvantages(rewards: readonly number[]): number[] {
  const scored = rewards.filter((reward) => !Number.isNaN(reward));
  const mean = scored.reduce((sum, reward) => sum + reward, 0) / scored.length;
  const variance = scored.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / scored.length;
  const std = Math.sqrt(variance);
  return rewards.map((reward) => (Number.isNaN(reward) || !(std > 1e-8) ? 0 : (reward - mean) / std));
}
