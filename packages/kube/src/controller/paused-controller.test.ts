import { expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Change } from '../informer/change.ts'
import type { ReconcileContext } from './controller.ts'
import { settled } from './outcome.ts'
import { pausedController } from './paused-controller.ts'

it('a paused controller reconciles nothing, and all due keys when the pause ends', async () => {
  const handlers = new Set<(change: Change<KubeObject>) => void>()
  const informer = {
    paused: true,
    synced: () => Promise.resolve(true),
    subscribe: (handler: (change: Change<KubeObject>) => void) => {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
  }
  const reconciled: string[] = []
  const inner = {
    name: 'pools',
    inputs: [],
    outputs: ['MachineConfigPool'],
    reconcile: (key: string) => {
      reconciled.push(key)
      return Promise.resolve(settled)
    },
  }
  const isPaused = ({ paused }: typeof informer): boolean => paused
  const controller = pausedController(inner, { resource: 'ControllerConfig', informer, isPaused })
  const enqueued: string[] = []
  for (const each of controller.inputs) each.subscribe((key) => void enqueued.push(key))
  const { signal } = new AbortController()
  const context: ReconcileContext = { log: silentLogger, signal, retries: 0 }
  const changed = (): void => {
    const object = { metadata: { name: 'machine-config-controller' } }
    for (const handler of handlers) handler({ type: 'updated', before: object, object })
  }

  await controller.reconcile('worker', context)
  await controller.reconcile('master', context)
  await controller.reconcile('worker', context)
  changed()
  expect([reconciled, enqueued]).toEqual([[], []])

  informer.paused = false
  changed()
  expect(enqueued).toEqual(['worker', 'master'])
  await controller.reconcile('worker', context)
  expect(reconciled).toEqual(['worker'])
  changed()
  expect(enqueued).toEqual(['worker', 'master'])
})
