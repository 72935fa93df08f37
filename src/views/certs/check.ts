import { dayMs } from './life.ts'
import type { Section } from './report.ts'

/** In one line what is not in order, for scripts; undefined if all is. */
export function checkProblem(
  sections: readonly Section[],
  now: number,
  days: number,
  onlyNode?: string,
): string | undefined {
  const isSoon = (notAfter: number | undefined): boolean =>
    notAfter !== undefined && notAfter - now < days * dayMs
  const soon = sections.flatMap(({ bundles, signers, leafs }) => [
    ...(bundles.at(-1)?.certificates ?? [])
      // The end of one that has a successor hurts nobody.
      .filter(({ isEarlier, notAfter }) => !isEarlier && isSoon(notAfter))
      .map(({ commonName }) => commonName),
    ...[...signers, ...leafs]
      .filter(({ notAfter }) => isSoon(notAfter))
      .map(({ object }) => object),
  ])
  const ending = new Set(soon)
  const lagging = new Set(
    sections
      .flatMap(({ nodes }) => nodes?.lagging ?? [])
      .map(({ node }) => node)
      .filter((node) => onlyNode === undefined || node === onlyNode),
  )
  const problems = [
    ...(ending.size > 0 ? [`${listed(ending)} ${verb(ending, 'end')} within ${days} days`] : []),
    ...(lagging.size > 0 ? [`${listed(lagging)} ${verb(lagging, 'lag')}`] : []),
  ]
  return problems.length === 0 ? undefined : problems.join('; ')
}

const verb = (who: ReadonlySet<string>, does: string): string =>
  who.size === 1 ? `${does}s` : does

function listed(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, 5)
  const more = names.size - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
