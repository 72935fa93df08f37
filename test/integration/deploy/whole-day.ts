import { cleared, disruptive, mending, settings } from './config-deeds.ts'
import { leases, replaced } from './daemon-deeds.ts'
import type { Deed } from './deed.ts'
import { credentialProviders, openShift, overruled } from './openshift-deeds.ts'
import { badInputs, registries, requests, rotations } from './trust-deeds.ts'

/** All that brings components to ask for something. */
export const wholeDay: readonly Deed[] = [
  badInputs,
  registries,
  rotations,
  requests,
  disruptive,
  mending,
  cleared,
  replaced,
  settings,
  openShift,
  overruled,
  credentialProviders,
  leases,
]
