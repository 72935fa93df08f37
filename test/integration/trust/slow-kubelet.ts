import type { Clock } from '@machinist/core/clock'
import type { HostUnits } from '../../../src/daemon/host/host.ts'

/** Longer than two health checks. */
const startMs = 30_000
const unit = 'kubelet.service'

/** A kubelet that needs some time after each restart. The callback is called when it goes down and when it is back. */
export function slowKubelet(
  units: HostUnits,
  clock: Clock,
  onChange: (isDown: boolean) => void,
): HostUnits {
  let isDown = false
  const set = (now: boolean): void => {
    isDown = now
    onChange(now)
  }
  const restart: HostUnits['restart'] = async (name) => {
    await units.restart(name)
    if (name !== unit) return
    set(true)
    clock.after(startMs, () => set(false))
  }
  const isHealthy: HostUnits['isHealthy'] = async (name) =>
    !(name === unit && isDown) && (await units.isHealthy(name))
  const own: Partial<HostUnits> = { restart, isHealthy }
  return new Proxy(units, {
    get(target, key) {
      const member: unknown = Reflect.get(own, key) ?? Reflect.get(target, key, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
