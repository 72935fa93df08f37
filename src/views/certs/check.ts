import { joinNames } from '../wording.ts'
import { dayMs } from './validity.ts'
import type { TrustSection } from './report.ts'

/** The failed checks in one line; undefined if all pass. */
export function checkProblem(
  sections: readonly TrustSection[],
  now: number,
  days: number,
  onlyNode?: string,
): string | undefined {
  const isSoon = (notAfter: number | undefined): boolean =>
    notAfter !== undefined && notAfter - now < days * dayMs
  const soon = sections.flatMap(({ bundles, signers, leafCertificates }) => [
    ...(bundles.at(-1)?.certificates ?? [])
      // A CA with a successor may expire.
      .filter(({ hasSuccessor, notAfter }) => !hasSuccessor && isSoon(notAfter))
      .map(({ commonName }) => commonName),
    ...[...signers, ...leafCertificates]
      .filter(({ notAfter }) => isSoon(notAfter))
      .map(({ object }) => object),
  ])
  const expiring = new Set(soon)
  const lagging = new Set(
    sections
      .flatMap(({ nodes }) => nodes?.lagging ?? [])
      .map(({ node }) => node)
      .filter((node) => onlyNode === undefined || node === onlyNode),
  )
  const problems = [
    ...(expiring.size > 0
      ? [`${joinNames([...expiring], 5)} ${verb(expiring, 'expire')} within ${days} days`]
      : []),
    ...(lagging.size > 0 ? [`${joinNames([...lagging], 5)} ${verb(lagging, 'lag')}`] : []),
  ]
  return problems.length === 0 ? undefined : problems.join('; ')
}

const verb = (subjects: ReadonlySet<string>, infinitive: string): string =>
  subjects.size === 1 ? `${infinitive}s` : infinitive
