import type { Secret } from '@machinist/kube/kinds/core'

/** A token of 43 characters. */
export const sampleToken = (letter: string): string => letter.repeat(43)

/** A token Secret of pool `worker`, as a user writes it. */
export function tokenSecret(
  annotations: Readonly<Record<string, string>> = {},
  texts: Readonly<Record<string, string>> = { token: sampleToken('a') },
): Secret {
  const data = Object.entries(texts).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ])
  return {
    metadata: {
      name: 'lab',
      namespace: 'machinist-provisioning',
      uid: 'u-1',
      resourceVersion: '7',
      labels: { 'machinist.dev/pool': 'worker' },
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`machinist.dev/${key}`, value]),
      ),
    },
    type: 'machinist.dev/provisioning-token',
    data: Object.fromEntries(data),
  }
}
