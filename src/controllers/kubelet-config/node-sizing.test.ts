import { describe, expect, it } from 'vitest'
import { addSizing, nobodySaid, sizingText, withoutSizing } from './node-sizing.ts'

const reserve = (systemReserved: unknown): { systemReserved: unknown } => ({ systemReserved })
const lines = (isAuto: boolean, memory: string, cpu: string, storage: string): string =>
  `NODE_SIZING_ENABLED=${isAuto}\nSYSTEM_RESERVED_MEMORY=${memory}\nSYSTEM_RESERVED_CPU=${cpu}\nSYSTEM_RESERVED_ES=${storage}\n`

describe('what is kept from pods', () => {
  it('is what the templates say unless somebody says more', () => {
    expect(sizingText(addSizing(nobodySaid, { maxPods: 1 }, undefined), {})).toBeUndefined()
  })

  it('is as told, with the defaults for the rest', () => {
    const told = addSizing(nobodySaid, reserve({ memory: '3Gi', pid: '100' }), undefined)
    expect(sizingText(told, {})).toBe(lines(false, '3Gi', '500m', '1Gi'))
    const all = { memory: '3Gi', cpu: '1', 'ephemeral-storage': '5Gi' }
    expect(sizingText(addSizing(nobodySaid, reserve(all), undefined), {})).toBe(
      lines(false, '3Gi', '1', '5Gi'),
    )
  })

  it.each([true, false])('is for the node to work out: %s', (isAuto) => {
    expect(sizingText(addSizing(nobodySaid, {}, isAuto), {})).toBe(
      lines(isAuto, '1Gi', '500m', '1Gi'),
    )
  })

  it('follows who speaks last: an amount ends the choice of the node, and the other way round', () => {
    const auto = addSizing(nobodySaid, {}, true)
    const told = addSizing(auto, reserve({ cpu: '2' }), undefined)
    expect(sizingText(told, {})).toBe(lines(false, '1Gi', '2', '1Gi'))
    const again = addSizing(told, {}, true)
    expect(sizingText(again, {})).toBe(lines(true, '1Gi', '2', '1Gi'))
    expect(sizingText(addSizing(again, {}, false), {})).toBe(lines(false, '1Gi', '2', '1Gi'))
  })

  it('goes back to the default where an amount is taken away', () => {
    const told = addSizing(nobodySaid, reserve({ cpu: '2', memory: '4Gi' }), undefined)
    const less = addSizing(told, reserve({ cpu: null }), undefined)
    expect(sizingText(less, {})).toBe(lines(false, '4Gi', '500m', '1Gi'))
    const none = addSizing(told, reserve(null), undefined)
    expect(sizingText(none, {})).toBe(lines(false, '1Gi', '500m', '1Gi'))
  })

  it('has the process ids as well, which the flag would hide otherwise', () => {
    expect(sizingText(nobodySaid, reserve({ pid: '1000' }))).toBe(
      `${lines(false, '1Gi', '500m', '1Gi')}SYSTEM_RESERVED_PID=1000\n`,
    )
  })

  it('leaves kubelet.conf; other resources stay there', () => {
    expect(withoutSizing({ maxPods: 1, ...reserve({ memory: '3Gi', cpu: '1' }) })).toEqual({
      maxPods: 1,
    })
    expect(withoutSizing(reserve({ memory: '3Gi', pid: '100' }))).toEqual(reserve({ pid: '100' }))
    expect(withoutSizing(reserve(null))).toEqual(reserve(null))
  })
})
