import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { compile, filterNames, tagNames, TemplateProblem } from './liquid.ts'

const place = { file: 'worker/05/_base/files/etc/x.liquid', line: 10 }
const rendered = (text: string, variables: object = {}): string =>
  compile(text, place).render(variables)

function problem(text: string, variables: object = {}): string {
  const thrown = thrownBy(() => rendered(text, variables)) ?? new TemplateProblem('no problem')
  if (!(thrown instanceof TemplateProblem)) throw thrown
  return thrown.message.replace(place.file, 'FILE')
}

describe('a template', () => {
  it('is text with variables in it', () => {
    expect(
      rendered('a {{ b.c }}\n{% for d in e %}[{{ d }}]{% endfor %}\n', {
        b: { c: 1 },
        e: ['x', 'y'],
      }),
    ).toBe('a 1\n[x][y]\n')
  })

  it('loses only the line of a {%- tag -%} on its own line', () => {
    const text = 'a\n  {%- if b -%}\n  b\n{%- else -%}\n  c\n{%- endif -%}\n\n  d\n'
    expect(rendered(text, { b: true })).toBe('a\n  b\n\n  d\n')
    expect(rendered(text, { b: false })).toBe('a\n  c\n\n  d\n')
  })

  it('treats empty strings and missing values as false in conditions', () => {
    const text = '{% if a %}1{% endif %}{% if b.c.d %}2{% endif %}{{ b.c | default: 3 }}'
    expect(rendered(text, { a: '', b: {} })).toBe('3')
  })

  it.each<[string, object, string]>([
    ['a\nb {{ nope }}', {}, 'FILE:11:6: there is no variable nope'],
    ['{{ a.b.c }}', { a: {} }, 'FILE:10:4: there is no variable a.b.c'],
    ['{{ a.constructor }}', { a: {} }, 'FILE:10:4: there is no variable a.constructor'],
    ['\n\n {{ a | nope }}', { a: 1 }, 'FILE:12:2: undefined filter: nope'],
    ['{% if a %}\n', { a: 1 }, 'FILE:10:1: tag {% if a %} not closed'],
    ['{% if %}{% endif %}', {}, 'FILE:10:6: invalid value expression: ""'],
    ['a\n{{ a', { a: 1 }, 'FILE:11:1: output "{{ a" not closed'],
    ['{% include "/etc/passwd" %}', {}, 'FILE:10:1: tag "include" not found'],
    ['{% render "x" %}', {}, 'FILE:10:1: tag "render" not found'],
    ['{% layout "x" %}', {}, 'FILE:10:1: tag "layout" not found'],
    ["{{ 'now' | date: '%s' }}", {}, 'FILE:10:1: undefined filter: date'],
    ['{{ a | shuffle }}', { a: [1] }, 'FILE:10:1: undefined filter: shuffle'],
    [
      '{{ a }}',
      { a: { b: 1 } },
      'FILE:10:1: only strings and numbers can be written; use json for a list or object, in {{ a }}',
    ],
  ])('%j is reported with its position', (text, variables, message) => {
    expect(problem(text, variables)).toBe(message)
  })

  it('is limited in time and memory', () => {
    expect(problem('{% for i in (1..100000000) %}x{% endfor %}')).toMatch(
      /^FILE:10:1: exceeds the limit for time or memory at /,
    )
    const nested =
      '{% for i in a %}{% for j in a %}{% for k in a %}{{ k }}{% endfor %}{% endfor %}{% endfor %}'
    expect(problem(nested, { a: Array.from({ length: 1000 }, () => 'x'.repeat(100)) })).toMatch(
      /exceeds the limit|more than/,
    )
  })

  it('never reports the value of a variable', () => {
    const secret = 'c2VjcmV0LXRva2Vu'
    const wrong = [
      '{{ a[secret] }}',
      '{{ secret | url_host }}',
      '{{ secret | url_port }}',
      '{{ secret | skip }}',
      '{{ secret | plus: 1 | indent: secret }}',
      '{{ a | map: secret }}',
      '{{ list | where: secret }}',
      '{{ list | sort: secret | first | map: secret }}',
      '{% for i in (1..secret) %}{{ i.x }}{% endfor %}',
      '{{ holder }}',
      '{{ holder | env }}',
      '{{ secret.x.y }}',
    ]
    const variables = { secret, a: {}, list: [{ b: 1 }], holder: { secret } }
    for (const text of wrong) {
      const message = problem(text, variables)
      expect(message).not.toContain(secret)
    }
  })

  it('has only deterministic filters and tags', () => {
    expect(tagNames).toEqual(
      '# assign break capture case comment continue echo for if liquid raw unless'.split(' '),
    )
    expect(filterNames).toContain('quote')
    for (const name of filterNames) expect(problem(`{{ a | ${name}`)).toContain('not closed')
    for (const banned of ['date', 'shuffle', 'sample', 'sort_natural', 'raw']) {
      expect(filterNames).not.toContain(banned)
    }
  })

  it('fails in no other way, with any text', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '{%',
        '%}',
        '{%-',
        '-%}',
        '|',
        ' if ',
        ' endif ',
        ' for i in a ',
        ' a ',
        ' raw ',
      ),
      fc.constantFrom(
        'assign x = ',
        ' case ',
        ' when ',
        '(1..',
        ')',
        '[0]',
        '.b',
        '"',
        "'",
        '\n',
        ': ',
        'liquid ',
      ),
      fc.string({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const message = problem(pieces.join(''), { a: ['1'], b: { c: 'd' } })
        expect(message).toMatch(/^(no problem|FILE:\d+:\d+: .|FILE:10: .|FILE: comes to)/)
      }),
      { numRuns: 500 },
    )
  })
})
