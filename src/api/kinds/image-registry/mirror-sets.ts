import type { ImageDigestMirrorSet, ImageTagMirrorSet, MirrorRule } from '../../openshift-config.ts'
import { imageDigestMirrorSets, imageTagMirrorSets } from '../../openshift-config.ts'
import { kind } from '../../schema/kind.ts'
import { locationPattern, sourcePattern } from '../../schema/registry-names.ts'
import type { Schema } from '../../schema/schema.ts'
import { array, object, oneOf, rule, string } from '../../schema/schema.ts'

const mirrorRule: Schema<MirrorRule> = object(
  'Mirrors of one source. Nodes try them before the source.',
  {
    source: string('Prefix of the image references to mirror: host[:port][/path], or *.domain.', {
      maxLength: 256,
      pattern: sourcePattern,
    }),
    mirrors: array(
      'Mirrors, in the order in which nodes try them.',
      string('Prefix that replaces the source in the image reference: host[:port][/path].', {
        maxLength: 256,
        pattern: locationPattern,
      }),
      { set: true, maxItems: 64 },
    ),
    mirrorSourcePolicy: oneOf(
      'Whether nodes pull from the source if no mirror has the image. Defaults to AllowContactingSource.',
      ['NeverContactSource', 'AllowContactingSource'],
    ),
  },
  {
    required: ['source'],
    rules: [
      rule(
        "!has(self.mirrorSourcePolicy) || self.mirrorSourcePolicy != 'NeverContactSource' || (has(self.mirrors) && self.mirrors.size() > 0 && !(self.source in self.mirrors))",
        'NeverContactSource needs mirrors, and the source must not be one of them',
      ),
    ],
  },
)

const mirrorRules = (description: string): Schema<MirrorRule[]> =>
  array(description, mirrorRule, { maxItems: 1024 })

const digestSpec: Schema<ImageDigestMirrorSet['spec']> = object(
  'Mirrors for images that are referenced by digest.',
  {
    imageDigestMirrors: mirrorRules('Mirrors by source.'),
  },
)

const tagSpec: Schema<ImageTagMirrorSet['spec']> = object(
  'Mirrors for images that are referenced by tag.',
  {
    imageTagMirrors: mirrorRules('Mirrors by source.'),
  },
)

const status = object('Observed state. Machinist does not write it; pools report problems.', {})

export const imageDigestMirrorSetKind = kind(
  imageDigestMirrorSets,
  'ImageDigestMirrorSet configures mirrors for images that are referenced by digest.',
  { shortNames: ['idms'], spec: digestSpec, status },
)

export const imageTagMirrorSetKind = kind(
  imageTagMirrorSets,
  'ImageTagMirrorSet configures mirrors for images that are referenced by tag.',
  { shortNames: ['itms'], spec: tagSpec, status },
)
