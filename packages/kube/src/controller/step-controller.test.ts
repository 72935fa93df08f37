import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { Waiting } from '@machinist/core/errors'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { ReconcileContext } from './controller.ts'
import type { ControllerContext } from './controller-context.ts'
import { requeueAfter, settled } from './outcome.ts'
import type { ControllerSteps } from './step-controller.ts'
import { decideAgain, stepController } from './step-controller.ts'

/** The steps under test use no tools. */
const tools = {} as ControllerContext

type Steps = ControllerSteps<number, string, boolean>

class Recorded {
  readonly calls: string[] = []
  readonly lines: Record<string, unknown>[] = []
  readonly #abort = new AbortController()
  readonly context: ReconcileContext = {
    log: createLogger({
      clock: new VirtualClock(),
      level: 'debug',
      write: (line) => void this.lines.push(JSON.parse(line) as Record<string, unknown>),
    }),
    signal: this.#abort.signal,
    retries: 0,
  }

  abort(): void {
    this.#abort.abort()
  }

  /** Steps that record their calls. */
  steps(rest: Partial<Steps> = {}): Steps {
    const { calls } = this
    return {
      name: 'render',
      inputs: [],
      outputs: [],
      gather: (key) => (calls.push(`gather ${key}`), 7),
      decide: (facts) => (calls.push(`decide ${facts}`), 'plan'),
      announce: (plan, facts) => void calls.push(`announce ${plan} ${facts}`),
      act: (plan, facts) => (calls.push(`act ${plan} ${facts}`), true),
      report: (pass) => void calls.push(`report ${pass.type}`),
      forget: (key) => void calls.push(`forget ${key}`),
      ...rest,
    }
  }

  reconcile(rest: Partial<Steps> = {}) {
    return stepController(tools, this.steps(rest)).reconcile('worker', this.context)
  }
}

describe('a step controller', () => {
  it('takes the steps in order and settles', async () => {
    const recorded = new Recorded()
    expect(await recorded.reconcile()).toBe(settled)
    expect(recorded.calls).toEqual([
      'gather worker',
      'decide 7',
      'announce plan 7',
      'act plan 7',
      'report acted',
    ])
  })

  it('forgets a key without facts, and reports nothing', async () => {
    const recorded = new Recorded()
    expect(await recorded.reconcile({ gather: () => undefined })).toBe(settled)
    expect(recorded.calls).toEqual(['forget worker'])
  })

  it('requeues as the pass requires', async () => {
    const outcome = await new Recorded().reconcile({
      next: ({ result }) => requeueAfter(result ? 5 : 6),
    })
    expect(outcome).toEqual({ type: 'requeue', afterMs: 5 })
  })

  it('decides again in the same reconcile, with new facts', async () => {
    const recorded = new Recorded()
    let facts = 0
    const outcome = await recorded.reconcile({
      gather: () => ++facts,
      next: (pass) => (pass.facts < 3 ? decideAgain : settled),
    })
    expect(outcome).toBe(settled)
    expect(recorded.calls.filter((call) => call.startsWith('decide'))).toEqual([
      'decide 1',
      'decide 2',
      'decide 3',
    ])
  })

  it('gathers with the result of the previous pass of the same reconcile', async () => {
    const seen: unknown[] = []
    const recorded = new Recorded()
    const rest: Partial<Steps> = {
      gather: (_key, _context, previous) => (seen.push(previous), previous ? 2 : 1),
      next: ({ facts }) => (facts === 1 ? decideAgain : settled),
    }
    await recorded.reconcile(rest)
    await recorded.reconcile(rest)
    expect(seen).toEqual([undefined, true, undefined, true])
  })

  it('ends a decision loop with an error', async () => {
    await expect(new Recorded().reconcile({ next: () => decideAgain })).rejects.toThrow(
      'render made no progress on worker in 20 passes',
    )
  })

  it('needs no steps but gather and decide', async () => {
    const steps = { name: 'render', inputs: [], outputs: [] }
    const { context } = new Recorded()
    const controller = stepController(tools, { ...steps, gather: () => 1, decide: () => 2 })
    expect(await controller.reconcile('worker', context)).toBe(settled)
  })
})

describe('the recovery of a step controller', () => {
  const failing = (message: string) => () => Promise.reject(new Error(message))
  const recover: Steps['recover'] = (failure) => requeueAfter((failure as Error).message.length)

  it.each(['gather', 'decide', 'announce', 'act', 'report', 'next'] as const)(
    'decides when to reconcile again if %s fails',
    async (step) => {
      const thrown = () => {
        throw new Error('seven..')
      }
      const outcome = await new Recorded().reconcile({ [step]: thrown, recover })
      expect(outcome).toEqual({ type: 'requeue', afterMs: 7 })
    },
  )

  it('follows the report', async () => {
    const recorded = new Recorded()
    await recorded.reconcile({
      act: failing('no'),
      recover: () => (recorded.calls.push('recover'), settled),
    })
    expect(recorded.calls.slice(-2)).toEqual(['report failed', 'recover'])
  })

  it('may leave the failure to the runner', async () => {
    const rethrow: Steps['recover'] = (failure) => {
      throw failure
    }
    await expect(
      new Recorded().reconcile({ act: failing('no write'), recover: rethrow }),
    ).rejects.toThrow('no write')
  })
})

describe('the steps of a controller', () => {
  it('get the tools, and the log and the signal of the reconcile', async () => {
    const { context } = new Recorded()
    const clock = new VirtualClock()
    const gather: Steps['gather'] = (_key, given) => {
      expect(given).toEqual({ clock, ...context })
      return undefined
    }
    const controller = stepController({ ...tools, clock }, new Recorded().steps({ gather }))
    expect(await controller.reconcile('worker', context)).toBe(settled)
    expect.assertions(2)
  })
})

describe('the report of a step controller', () => {
  it.each(['announce', 'act'] as const)('runs once if %s fails', async (step) => {
    const recorded = new Recorded()
    const failing = () => Promise.reject(new Waiting('Changed', 'try later', 5))
    await expect(recorded.reconcile({ [step]: failing })).rejects.toThrow('try later')
    expect(recorded.calls.filter((call) => call.startsWith('report'))).toEqual(['report failed'])
  })

  it('gets the failure', async () => {
    const failures: unknown[] = []
    const failure = new Error('no')
    const failing = () => Promise.reject(failure)
    const report: Steps['report'] = (pass) =>
      void failures.push(pass.type === 'failed' && pass.failure)
    await expect(new Recorded().reconcile({ act: failing, report })).rejects.toBe(failure)
    expect(failures).toEqual([failure])
  })

  it('fails the reconcile if it fails', async () => {
    const report = () => Promise.reject(new Error('no status'))
    await expect(new Recorded().reconcile({ report })).rejects.toThrow('no status')
  })

  it('does not hide the failure of a write', async () => {
    const recorded = new Recorded()
    const failing = (message: string) => () => Promise.reject(new Error(message))
    await expect(
      recorded.reconcile({ act: failing('no write'), report: failing('no status') }),
    ).rejects.toThrow('no write')
    expect(recorded.lines.map((line) => [line['msg'], line['error']])).toEqual([
      ['cannot report the failed reconcile', 'no status'],
    ])
  })

  it('fails silently when the reconcile was aborted', async () => {
    const recorded = new Recorded()
    const failing = () => {
      recorded.abort()
      return Promise.reject(new Error('aborted'))
    }
    await expect(recorded.reconcile({ act: failing, report: failing })).rejects.toThrow('aborted')
    expect(recorded.lines).toEqual([])
  })
})
