import {
  machineConfigNodeCleanup,
  disruptiveConfigs,
  repairs,
  userSettings,
} from './config-scenarios.ts'
import { leaderElection, replacedNode } from './daemon-scenarios.ts'
import { provisioningTokens } from './provisioning-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { joiningMachine, serverOnOpenShift } from './server-scenarios.ts'
import { credentialProviders, openShift, conflictingImagePolicies } from './openshift-scenarios.ts'
import { badInputs, registries, requests, rotations } from './trust-scenarios.ts'

/** Together they make components send every kind of request that they ever send. */
export const allScenarios: readonly Scenario[] = [
  badInputs,
  registries,
  rotations,
  requests,
  joiningMachine,
  disruptiveConfigs,
  repairs,
  machineConfigNodeCleanup,
  replacedNode,
  userSettings,
  openShift,
  conflictingImagePolicies,
  serverOnOpenShift,
  credentialProviders,
  provisioningTokens,
  leaderElection,
]
