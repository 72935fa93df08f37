/** A number of pods, or a percentage of all (`30%`), rounded up. */
export function shareOf(amount: number | string, all: number): number {
  if (typeof amount === 'number') return amount
  const percent = /^([-+]?\d+)%$/.exec(amount)?.[1]
  if (percent === undefined) {
    throw new CannotCount('invalid value for IntOrString: invalid type: string is not a percentage')
  }
  return Math.ceil((Number(percent) * all) / 100)
}

/** Why a budget cannot be counted; the message appears in its status. */
export class CannotCount extends Error {
  override readonly name = 'CannotCount'
}
