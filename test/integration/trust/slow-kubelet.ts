import type { Clock } from '@machinist/core/clock'
import type { HostUnits } from '../../../src/daemon/host/host.ts'

/** Longer than anybody who looks twice would need to see it. */
const startMs = 30_000
const unit = 'kubelet.service'

/** A kubelet that needs a while after each restart, as real ones do. `told` hears when it goes down and when it is back. */
export function slowKubelet(
  units: HostUnits,
  clock: Clock,
  told: (isDown: boolean) => void,
): HostUnits {
  let isDown = false
  const set = (now: boolean): void => {
    isDown = now
    told(now)
  }
  const restart: HostUnits['restart'] = async (name) => {
    await units.restart(name)
    if (name !== unit) return
    set(true)
    clock.after(startMs, () => set(false))
  }
  const healthy: HostUnits['healthy'] = async (name) =>
    !(name === unit && isDown) && (await units.healthy(name))
  const own: Partial<HostUnits> = { restart, healthy }
  return new Proxy(units, {
    get(target, key) {
      const member: unknown = Reflect.get(own, key) ?? Reflect.get(target, key, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
