import { ignoreNotFound } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { managedTokenKey } from '../../../src/fleet/provisioning/token-secret.ts'
import type { Scenario } from './scenario.ts'

/** The operator creates, repairs and removes provisioning tokens. */
export const provisioningTokens: Scenario = async ({ client }, { time }) => {
  const key = managedTokenKey('provisioned')
  const token = () => ignoreNotFound(client.getMetadata(secrets, key))
  const matchLabels = { 'machineconfiguration.openshift.io/role': 'worker' }
  const nodeSelector = { matchLabels: { 'node-role.kubernetes.io/provisioned': '' } }
  const spec = { machineConfigSelector: { matchLabels }, nodeSelector }
  await client.create(machineConfigPools, { metadata: { name: 'provisioned' }, spec })
  await time.until('the pool has a token', async () => (await token()) !== undefined)
  const ownerReferences = (await token())!.metadata.ownerReferences
  await client.patch(secrets, key, mergePatch({ metadata: { ownerReferences: [] } }))
  await time.until('the token has its owner again', async () => {
    const found = await token()
    return found?.metadata.ownerReferences?.[0]?.uid === ownerReferences![0]!.uid
  })
  await client.remove(machineConfigPools, { name: 'provisioned' })
  await time.until('the token is gone', async () => (await token()) === undefined)
}
