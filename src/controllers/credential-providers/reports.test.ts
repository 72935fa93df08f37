import { expect, it } from 'vitest'
import { reportsOf } from './reports.ts'

const good = { leftOut: [], problems: [], isMade: true, isWaiting: false }
const other = { provider: 'gcr-credential-provider', image: '*.gcr.io' }
const overlapping = { image: 'a.gcr.io', other }

it('tells that all is well', () => {
  expect(reportsOf(good, 3)).toEqual([
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

it('tells once what is left out of several pools, and whom else kubelets ask', () => {
  const [validated, rendered] = reportsOf({ ...good, leftOut: [overlapping, overlapping] }, 1)
  expect(validated).toMatchObject({
    status: 'False',
    reason: 'ConfigurationPartiallyApplied',
    message:
      'remove or change what is left out of spec.matchImages: "a.gcr.io" (gcr-credential-provider is asked about "*.gcr.io")',
  })
  expect(rendered).toMatchObject({ status: 'True', message: 'Success' })
})

it('tells what cannot be used from what others are asked about', () => {
  const [validated] = reportsOf({ ...good, leftOut: [overlapping, { image: 'A.io' }] }, 1)
  expect(validated).toMatchObject({ status: 'False', reason: 'ValidationFailed' })
  expect(validated!.message).toContain('"A.io" (write host[:port][/path] in lower case')
})

it('tells why pools have nothing of it, and where there is nothing to have', () => {
  expect(reportsOf({ ...good, problems: ['one', 'two'] }, undefined)[1]).toEqual({
    type: 'MachineConfigRendered',
    status: 'False',
    reason: 'MachineConfigRenderingFailed',
    message: 'one; two',
  })
  expect(reportsOf({ ...good, isMade: false }, 1)[1]).toMatchObject({
    status: 'True',
    message: 'there is nothing to add to what kubelets have, so no MachineConfig is made',
  })
})

it('tells only what fails as long as a pool waits: nobody shall take the rest for the whole', () => {
  expect(reportsOf({ ...good, isWaiting: true }, 1)).toEqual([])
  const failing = { ...good, leftOut: [overlapping], isWaiting: true }
  expect(reportsOf(failing, 1).map(({ type }) => type)).toEqual(['Validated'])
})
