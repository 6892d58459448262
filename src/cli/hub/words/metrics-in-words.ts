/** How much worse each metric is, such as `loss +0.42 %`. */
export function metricsInWords(degradation: Readonly<Record<string, number | null>>): string {
  return Object.entries(degradation)
    .map(([name, share]) => {
      if (share === null) return `${name} not finite`;
      return `${name} ${share >= 0 ? '+' : ''}${(share * 100).toFixed(2)} %`;
    })
    .join(', ');
}
