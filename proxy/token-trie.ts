interface Node {
  /** The edge into this node: symbols[start, end) of `owner`'s sequence. */
  symbols: Int32Array;
  start: number;
  end: number;
  /** The latest sequence that runs through this node. */
  owner: number;
  /** The latest sequence that ends here; -1 for none. */
  terminal: number;
  children: Map<number, Node>;
}

/** Where a prompt leaves the sequences seen so far. */
export interface TrieMatch {
  /** Number of leading symbols shared with `nearest`. */
  shared: number;
  /** The latest sequence sharing the longest prefix; -1 where none shares anything. */
  nearest: number;
  /** The longest sequence that is wholly a prefix of the prompt (the latest among equals); -1 for none. */
  parent: number;
}

/**
 * A radix trie over token sequences. Edges are slices of the sequences themselves, so that n sequences cost
 * O(n) nodes, and adding or matching one costs its own length.
 */
export class TokenTrie {
  readonly #root: Node = node(new Int32Array(0), 0, 0, -1);

  /** Finds the longest shared prefix of symbols[0, length) and the longest whole sequence inside it. */
  match(symbols: Int32Array, length: number): TrieMatch {
    let at = this.#root;
    let depth = 0;
    let parent = at.terminal;
    for (;;) {
      const next = depth < length ? at.children.get(symbols[depth]!) : undefined;
      if (next === undefined) return { shared: depth, nearest: at.owner, parent };
      const common = commonLength(next, symbols, depth, length);
      depth += common;
      if (common < next.end - next.start) return { shared: depth, nearest: next.owner, parent };
      at = next;
      if (at.terminal !== -1) parent = at.terminal;
    }
  }

  /** Adds a whole sequence under an id of the caller's (ids only grow). */
  add(symbols: Int32Array, id: number): void {
    let at = this.#root;
    let depth = 0;
    at.owner = id;
    while (depth < symbols.length) {
      const next = at.children.get(symbols[depth]!);
      if (next === undefined) {
        const leaf = node(symbols, depth, symbols.length, id);
        at.children.set(symbols[depth]!, leaf);
        at = leaf;
        break;
      }
      const common = commonLength(next, symbols, depth, symbols.length);
      const whole = common === next.end - next.start;
      at = whole ? next : split(at, next, common);
      at.owner = id;
      depth += common;
    }
    at.terminal = id;
  }
}

function node(symbols: Int32Array, start: number, end: number, owner: number): Node {
  return { symbols, start, end, owner, terminal: -1, children: new Map() };
}

function commonLength(edge: Node, symbols: Int32Array, depth: number, length: number): number {
  const most = Math.min(edge.end - edge.start, length - depth);
  let common = 0;
  while (common < most && edge.symbols[edge.start + common] === symbols[depth + common]) common++;
  return common;
}

/** Cuts an edge after `length` symbols and returns the new node in its middle. */
function split(parent: Node, child: Node, length: number): Node {
  const middle = node(child.symbols, child.start, child.start + length, child.owner);
  parent.children.set(child.symbols[child.start]!, middle);
  child.start += length;
  middle.children.set(child.symbols[child.start]!, child);
  return middle;
}
