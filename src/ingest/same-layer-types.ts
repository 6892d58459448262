import type { LayerType } from '../checkpoint/layer-type.ts';

type LayerTypes = Readonly<Record<string, LayerType>>;

/** Whether two sets of overrides say the same, whatever the order; none is the same as an empty one. */
export function sameLayerTypes(a: LayerTypes = {}, b: LayerTypes = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
