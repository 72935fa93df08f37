import { expect, it } from 'vitest'
import { conditionsFor } from './conditions.ts'

const good = { skipped: [], problems: [], isRendered: true, isUndecided: false }
const other = { provider: 'gcr-credential-provider', image: '*.gcr.io' }
const overlapping = { image: 'a.gcr.io', other }

it('both conditions are True without problems', () => {
  expect(conditionsFor(good, 3)).toEqual([
    {
      type: 'Validated',
      status: 'True',
      reason: 'Succeeded',
      message: 'Success',
      observedGeneration: 3,
    },
    {
      type: 'MachineConfigRendered',
      status: 'True',
      reason: 'MachineConfigRenderingSucceeded',
      message: 'Success',
      observedGeneration: 3,
    },
  ])
})

it('Validated reports an entry once for several pools, with the provider that covers it', () => {
  const [validated, rendered] = conditionsFor({ ...good, skipped: [overlapping, overlapping] }, 1)
  expect(validated).toMatchObject({
    status: 'False',
    reason: 'ConfigurationPartiallyApplied',
    message:
      'skipped entries of spec.matchImages: "a.gcr.io" (gcr-credential-provider already covers "*.gcr.io"); correct or remove them',
  })
  expect(rendered).toMatchObject({ status: 'True', message: 'Success' })
})

it('Validated distinguishes invalid entries from covered ones', () => {
  const [validated] = conditionsFor({ ...good, skipped: [overlapping, { image: 'A.io' }] }, 1)
  expect(validated).toMatchObject({ status: 'False', reason: 'ValidationFailed' })
  expect(validated!.message).toContain('"A.io" (use host[:port][/path] in lower case')
})

it('MachineConfigRendered reports problems of pools, and that no MachineConfig is needed', () => {
  expect(conditionsFor({ ...good, problems: ['one', 'two'] }, undefined)[1]).toEqual({
    type: 'MachineConfigRendered',
    status: 'False',
    reason: 'MachineConfigRenderingFailed',
    message: 'one; two',
  })
  expect(conditionsFor({ ...good, isRendered: false }, 1)[1]).toMatchObject({
    status: 'True',
    message: 'no MachineConfig is needed: there are no images to add',
  })
})

it('only failures are reported while the result is undecided', () => {
  expect(conditionsFor({ ...good, isUndecided: true }, 1)).toEqual([])
  const failing = { ...good, skipped: [overlapping], isUndecided: true }
  expect(conditionsFor(failing, 1).map(({ type }) => type)).toEqual(['Validated'])
})
