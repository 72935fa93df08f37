import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from '@machinist/ignition/arbitrary-config.fixture'
import type { MachineConfigSpec } from '../api/kinds/machine-config.ts'
import { arbitraryParts, modelOf, afterSteps } from './model.fixture.ts'
import type { Parts } from './configs.fixture.ts'
import { defaultRules, facts, machineConfig, planned, spec } from './configs.fixture.ts'
import type { PlanRules } from './model/plan-input.ts'
import { plan } from './plan.ts'
import type { UpdatePlan } from './model/update-plan.ts'

const rules = fc.constantFrom<PlanRules>('4.12', '4.16', defaultRules)
const ofConfig = (name: string, config: unknown): ReturnType<typeof machineConfig> =>
  machineConfig(name, { config } as MachineConfigSpec)

/** A node has only configs that were not rejected. */
const isPossible = (parts: Parts): boolean => planned({}, parts, { rules: '4.12' }).reconcilable

describe('for any two configs', () => {
  it('a plan from a config to itself has no changes', () => {
    fc.assert(
      fc.property(arbitraryParts, rules, (parts, by) => {
        const made = planned(parts, parts, { rules: by })
        fc.pre(made.reconcilable)
        expect(made.changes).toEqual([])
        expect(made.actions.map(({ type }) => type)).toEqual(['None'])
        expect(made.steps).toEqual([{ do: 'store-config' }])
      }),
      { numRuns: 50 },
    )
  })

  it('the steps lead from one to the other', () => {
    fc.assert(
      fc.property(arbitraryParts, arbitraryParts, (before, after) => {
        const made = planned(before, after, { rules: '4.12' })
        fc.pre(made.reconcilable && isPossible(before))
        expect(afterSteps(modelOf(before), made.steps, after)).toEqual(modelOf(after))
      }),
      { numRuns: 50 },
    )
  })

  it('the steps with the force file lead to the other', () => {
    fc.assert(
      fc.property(arbitraryParts, arbitraryParts, (before, after) => {
        const forced = { ...facts, forced: true }
        const made = planned(before, after, { rules: '4.12', facts: forced })
        fc.pre(made.reconcilable && isPossible(before))
        expect(afterSteps(modelOf(before), made.steps, after)).toEqual(modelOf(after))
      }),
      { numRuns: 50 },
    )
  })

  it('a plan is consistent', () => {
    fc.assert(
      fc.property(arbitraryConfig(), arbitraryConfig(), rules, (before, after, by) => {
        const made = plan({
          current: ofConfig('a', before),
          desired: ofConfig('b', after),
          rules: by,
          facts,
        })
        expect(violationsOf(made)).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  it('the plan does not depend on the order of entries', () => {
    const shuffled = arbitraryParts.chain((parts) =>
      fc.record({
        parts: fc.constant(parts),
        files: fc.shuffledSubarray([...(parts.files ?? [])], {
          minLength: parts.files?.length ?? 0,
        }),
        units: fc.shuffledSubarray([...(parts.units ?? [])], {
          minLength: parts.units?.length ?? 0,
        }),
      }),
    )
    fc.assert(
      fc.property(arbitraryParts, shuffled, rules, (before, { parts, files, units }, by) => {
        const made = planned(before, parts, { rules: by })
        fc.pre(made.reconcilable)
        expect(planned(before, { ...parts, files, units }, { rules: by })).toEqual(made)
      }),
      { numRuns: 50 },
    )
  })

  it('the plan is deterministic, and the input is not modified', () => {
    fc.assert(
      fc.property(arbitraryParts, arbitraryParts, (before, after) => {
        const input = {
          current: machineConfig('a', spec(before)),
          desired: machineConfig('b', spec(after)),
          rules: defaultRules,
          facts,
        }
        const copy = structuredClone(input)
        expect(JSON.stringify(plan(input))).toBe(JSON.stringify(plan(copy)))
        expect(input).toEqual(copy)
      }),
      { numRuns: 50 },
    )
  })
})

describe('for any input', () => {
  const json = fc.jsonValue({ maxDepth: 5 })
  const list = fc.array(json, { maxLength: 4 })
  const nearlyConfig = fc.record({
    ignition: fc.record({ version: fc.constantFrom('3.5.0', '3.2.0', '3.0.0', '2.2.0') }),
    storage: fc.record(
      {
        files: fc.oneof(
          list,
          fc.array(
            fc.record(
              {
                path: fc.oneof(
                  fc.string(),
                  fc.string().map((text) => `/${text}`),
                ),
                mode: fc.oneof(fc.integer(), json),
                contents: fc.record(
                  {
                    source: fc.oneof(
                      fc.string(),
                      fc.string().map((text) => `data:,${text}`),
                    ),
                    compression: fc.constantFrom('', 'gzip', 'xz'),
                    verification: json,
                  },
                  { requiredKeys: [] },
                ),
              },
              { requiredKeys: ['path'] },
            ),
            { maxLength: 4 },
          ),
        ),
        disks: list,
        links: list,
      },
      { requiredKeys: [] },
    ),
    systemd: fc.record({
      units: fc.array(
        fc.record(
          {
            name: fc.oneof(
              fc.string(),
              fc.string().map((text) => `${text}.service`),
            ),
            mask: json,
            contents: json,
          },
          { requiredKeys: ['name'] },
        ),
        { maxLength: 3 },
      ),
    }),
    passwd: json,
  })
  const anySpec = fc.oneof(
    json,
    fc.record({ config: fc.oneof(json, nearlyConfig) }),
    fc.record(
      {
        config: nearlyConfig,
        kernelArguments: fc.oneof(fc.array(fc.string()), json),
        extensions: fc.oneof(fc.array(fc.string()), json),
        osImageURL: fc.oneof(fc.string(), json),
        kernelType: json,
        fips: json,
      },
      { requiredKeys: ['config'] },
    ),
  )

  it('planning returns a plan and never throws', () => {
    fc.assert(
      fc.property(anySpec, anySpec, rules, fc.boolean(), (before, after, by, forced) => {
        const made = plan({
          current: machineConfig('a', before as MachineConfigSpec),
          desired: machineConfig('b', after as MachineConfigSpec),
          rules: by,
          facts: { ...facts, forced },
        })
        expect(violationsOf(made)).toEqual([])
      }),
      { numRuns: 250 },
    )
  })

  it('planning accepts objects that are not MachineConfigs', () => {
    fc.assert(
      fc.property(fc.object(), (thing) => {
        const made = plan({ current: undefined, desired: thing as never, rules: '4.16', facts })
        expect(violationsOf(made)).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('planning accepts deeply nested objects', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const desired = ofConfig('b', { ignition: { version: '3.2.0' }, storage: deep })
    expect(plan({ current: undefined, desired, rules: '4.16', facts }).reconcilable).toBe(false)
    expect(
      plan({ current: undefined, desired: ofConfig('b', deep), rules: '4.16', facts }).reconcilable,
    ).toBe(false)
  })
})

/** The invariants of every plan that this plan violates. */
function violationsOf(made: UpdatePlan): string[] {
  const { reconcilable, reasons, changes, actions, drain, reboot, steps } = made
  const keys = changes.map(({ kind, path, name }) => `${kind} ${path ?? name ?? ''}`)
  const done = steps.filter((step) => step.do !== 'set-units').map((step) => JSON.stringify(step))
  const texts = [...reasons, ...changes.map(({ summary }) => summary)]
  const invariants = {
    'a plan without reasons is reconcilable': reconcilable === (reasons.length === 0),
    'a reconcilable plan has steps': reconcilable === steps.length > 0,
    'a reboot is an action': reboot === actions.some(({ type }) => type === 'Reboot'),
    'a reboot is the only action': !reboot || actions.length === 1,
    'a reboot is the last step': reboot === (steps.at(-1)?.do === 'reboot'),
    'a drain is the first step': drain === (steps[0]?.do === 'drain'),
    'each change occurs once': new Set(keys).size === keys.length,
    'each step occurs once': new Set(done).size === done.length,
    'messages are one line': !texts.some((text) => /[\n\r]/.test(text)),
  }
  return Object.entries(invariants)
    .filter(([, isTrue]) => !isTrue)
    .map(([name]) => name)
}
