import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'

export async function nodeExists(client: KubeClient, name: string): Promise<boolean> {
  try {
    await client.getMetadata(nodes, { name })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
