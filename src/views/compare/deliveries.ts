/** Names of both deliveries in the output. */
export const deliveries = {
  rendered: { release: '4.12', short: 'rendered', heading: ['as in 4.12', '(rendered)'] },
  direct: { release: '4.16', short: 'direct', heading: ['as in 4.16', '(direct)'] },
} as const
