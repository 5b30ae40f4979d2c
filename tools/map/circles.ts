/** Groups of nodes that can reach each other: the strongly connected components with more than one node (Tarjan's algorithm). */
export function circlesOf(arrows: readonly (readonly [from: string, to: string])[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of arrows) next.set(from, (next.get(from) ?? new Set()).add(to));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const at = order.size;
    order.set(node, at);
    path.push(node);
    let low = at;
    for (const to of next.get(node) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (path.includes(to)) low = Math.min(low, order.get(to) ?? at);
    }
    lowest.set(node, low);
    if (low === at) {
      const circle = path.splice(path.indexOf(node));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  };
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return circles.toSorted((a, b) => b.length - a.length);
}
