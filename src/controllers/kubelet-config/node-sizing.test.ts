import { describe, expect, it } from 'vitest'
import { addSizing, unsetSizing, sizingText, withoutSizing } from './node-sizing.ts'

const reserve = (systemReserved: unknown): { systemReserved: unknown } => ({ systemReserved })
const lines = (isAuto: boolean, memory: string, cpu: string, storage: string): string =>
  `NODE_SIZING_ENABLED=${isAuto}\nSYSTEM_RESERVED_MEMORY=${memory}\nSYSTEM_RESERVED_CPU=${cpu}\nSYSTEM_RESERVED_ES=${storage}\n`

describe('system-reserved resources', () => {
  it('are those of the templates unless set', () => {
    expect(sizingText(addSizing(unsetSizing, { maxPods: 1 }, undefined), {})).toBeUndefined()
  })

  it('are as set, with defaults for the rest', () => {
    const sizing = addSizing(unsetSizing, reserve({ memory: '3Gi', pid: '100' }), undefined)
    expect(sizingText(sizing, {})).toBe(lines(false, '3Gi', '500m', '1Gi'))
    const all = { memory: '3Gi', cpu: '1', 'ephemeral-storage': '5Gi' }
    expect(sizingText(addSizing(unsetSizing, reserve(all), undefined), {})).toBe(
      lines(false, '3Gi', '1', '5Gi'),
    )
  })

  it.each([true, false])('are computed by the node: %s', (isAuto) => {
    expect(sizingText(addSizing(unsetSizing, {}, isAuto), {})).toBe(
      lines(isAuto, '1Gi', '500m', '1Gi'),
    )
  })

  it('follow the last object: an amount disables automatic sizing, and vice versa', () => {
    const auto = addSizing(unsetSizing, {}, true)
    const sizing = addSizing(auto, reserve({ cpu: '2' }), undefined)
    expect(sizingText(sizing, {})).toBe(lines(false, '1Gi', '2', '1Gi'))
    const again = addSizing(sizing, {}, true)
    expect(sizingText(again, {})).toBe(lines(true, '1Gi', '2', '1Gi'))
    expect(sizingText(addSizing(again, {}, false), {})).toBe(lines(false, '1Gi', '2', '1Gi'))
  })

  it('return to the default if an amount is removed', () => {
    const sizing = addSizing(unsetSizing, reserve({ cpu: '2', memory: '4Gi' }), undefined)
    const less = addSizing(sizing, reserve({ cpu: null }), undefined)
    expect(sizingText(less, {})).toBe(lines(false, '4Gi', '500m', '1Gi'))
    const none = addSizing(sizing, reserve(null), undefined)
    expect(sizingText(none, {})).toBe(lines(false, '1Gi', '500m', '1Gi'))
  })

  it('include PIDs, which the flag would hide otherwise', () => {
    expect(sizingText(unsetSizing, reserve({ pid: '1000' }))).toBe(
      `${lines(false, '1Gi', '500m', '1Gi')}SYSTEM_RESERVED_PID=1000\n`,
    )
  })

  it('are removed from kubelet.conf; other resources stay there', () => {
    expect(withoutSizing({ maxPods: 1, ...reserve({ memory: '3Gi', cpu: '1' }) })).toEqual({
      maxPods: 1,
    })
    expect(withoutSizing(reserve({ memory: '3Gi', pid: '100' }))).toEqual(reserve({ pid: '100' }))
    expect(withoutSizing(reserve(null))).toEqual(reserve(null))
  })
})
