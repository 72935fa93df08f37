import { isObject } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'
import { plain, shapeAt } from '../shapes/shape.ts'
import type { PathElement } from './path-element.ts'
import { itemElement } from './path-element.ts'

/** Merges the applied object into the live one. Undefined is absent; the inputs are not modified. */
export function mergeApplied(live: unknown, applied: unknown, shape: Shape): unknown {
  const form = applied ?? live
  if (Array.isArray(form)) return mergedList(live, applied, shape)
  return isObject(form) ? mergedObject(live, applied, shape) : over(live, applied)
}

const over = (live: unknown, applied: unknown): unknown => (applied === undefined ? live : applied)

function mergedObject(live: unknown, applied: unknown, shape: Shape): unknown {
  const [left, right] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  if (shape.atomic || keys.size === 0) return over(live, applied)
  const result = new Map<string, unknown>()
  for (const key of keys) {
    const value = mergeApplied(own(left, key), own(right, key), shapeAt(shape, key))
    if (value !== undefined) result.set(key, value)
  }
  return Object.fromEntries(result)
}

function mergedList(live: unknown, applied: unknown, shape: Shape): unknown {
  const left = Array.isArray(live) ? (live as unknown[]) : []
  const right = Array.isArray(applied) ? (applied as unknown[]) : []
  if (!shape.list || left.length + right.length === 0) return over(live, applied)
  const items = shape.items ?? plain
  const [before, after] = [indexed(left, shape), indexed(right, shape)]
  const order = mergedOrder(before, after)
  return order.map(({ step, at }) => {
    const onlyLive = at !== undefined
    return onlyLive ? left[at] : mergeApplied(before.first.get(step), after.first.get(step), items)
  })
}

interface Indexed {
  readonly steps: readonly PathElement[]
  /** The item of each element; duplicate items are left out, since nothing can be merged into them. */
  readonly first: ReadonlyMap<PathElement, unknown>
}

function indexed(list: readonly unknown[], shape: Shape): Indexed {
  const steps: PathElement[] = []
  const first = new Map<PathElement, unknown>()
  for (const [i, item] of list.entries()) {
    const found = itemElement(shape, item)
    const step = typeof found === 'string' ? found : `i:${i}`
    first.set(step, first.has(step) ? undefined : item)
    steps.push(step)
  }
  return { steps, first }
}

interface Placed {
  readonly step: PathElement
  /** Index in the live list, for items that are only there. */
  readonly at?: number
}

/** Common items are in the applied order; live items that are not applied stay behind the live item before them. */
function mergedOrder(before: Indexed, after: Indexed): Placed[] {
  const order: Placed[] = []
  const shared = after.steps.filter((step) => before.first.has(step))
  const taken = new Set<PathElement>()
  let [l, r, next] = [0, 0, 0]
  const take = (step: PathElement): void => {
    taken.add(step)
    order.push({ step })
    r++
    if (shared[next] === step) next++
  }
  const isOutOfTurn = (step: PathElement): boolean => next < shared.length && shared[next] !== step
  while (l < before.steps.length || r < after.steps.length) {
    const [left, right] = [before.steps[l], after.steps[r]]
    const isShared = left !== undefined && after.first.has(left)
    if (isShared && left === right) {
      take(left)
      l++
    } else if (left !== undefined && !isShared) {
      order.push({ step: left, at: l })
      l++
    } else if (isShared && right !== undefined && isOutOfTurn(left)) {
      l++
    } else {
      if (isShared && taken.has(left)) l++
      if (right !== undefined) take(right)
    }
  }
  return order
}

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
