/** Cells no wider than this share of the whole hold points that are taken for one. */
const deepest = 48;

/**
 * A quad tree over points in a plane, in the order of a walk from the root: a cell's children follow it.
 *
 * Made anew for each step of a layout; the arrays are kept between.
 */
export class QuadTree {
  /** Centre of mass, how many points, and the squared width of each cell. */
  x: Float64Array;
  y: Float64Array;
  weight: Float64Array;
  width: Float64Array;
  /** The cell that comes after all that is inside this one. */
  skip: Int32Array;
  isLeaf: Uint8Array;
  /** How many cells there are. */
  size = 0;
  #children = new Int32Array(0);
  #sumX = new Float64Array(0);
  #sumY = new Float64Array(0);
  #count = new Int32Array(0);
  #point = new Int32Array(0);
  #cells = 0;

  constructor(points: number) {
    const room = 4 * points + 16;
    this.#grow(room);
    this.x = new Float64Array(room);
    this.y = new Float64Array(room);
    this.weight = new Float64Array(room);
    this.width = new Float64Array(room);
    this.skip = new Int32Array(room);
    this.isLeaf = new Uint8Array(room);
  }

  #grow(room: number): void {
    const into = <T extends Float64Array | Int32Array>(old: T, made: T): T => {
      // Both arrays are a T; TypeScript can't choose an overload of `set` for a union.
      (made as Float64Array).set(old as Float64Array);
      return made;
    };
    this.#children = into(this.#children, new Int32Array(4 * room));
    this.#sumX = into(this.#sumX, new Float64Array(room));
    this.#sumY = into(this.#sumY, new Float64Array(room));
    this.#count = into(this.#count, new Int32Array(room));
    this.#point = into(this.#point, new Int32Array(room));
  }

  /** Builds the tree of points at (at[2i], at[2i + 1]). O(n·depth). */
  build(at: Float64Array): void {
    const n = at.length / 2;
    let [left, right, bottom, top] = [at[0], at[0], at[1], at[1]];
    for (let i = 1; i < n; i++) {
      left = Math.min(left, at[2 * i]);
      right = Math.max(right, at[2 * i]);
      bottom = Math.min(bottom, at[2 * i + 1]);
      top = Math.max(top, at[2 * i + 1]);
    }
    const half = Math.max(right - left, top - bottom, Number.MIN_VALUE) / 2;
    const [midX, midY] = [(left + right) / 2, (bottom + top) / 2];
    this.#cells = 0;
    this.#cell();
    for (let i = 0; i < n; i++) this.#insert(at, i, midX, midY, half);
    this.#lay(at, half);
  }

  #cell(): number {
    const cell = this.#cells++;
    if (cell >= this.#count.length) this.#grow(2 * cell);
    this.#children.fill(0, 4 * cell, 4 * cell + 4);
    this.#sumX[cell] = 0;
    this.#sumY[cell] = 0;
    this.#count[cell] = 0;
    this.#point[cell] = -1;
    return cell;
  }

  #insert(at: Float64Array, i: number, midX: number, midY: number, width: number): void {
    const [x, y] = [at[2 * i], at[2 * i + 1]];
    let [cell, cx, cy, half] = [0, midX, midY, width];
    for (let depth = 0; ; depth++) {
      this.#sumX[cell] += x;
      this.#sumY[cell] += y;
      const before = this.#count[cell]++;
      if (before === 0) {
        this.#point[cell] = i;
        return;
      }
      const resident = this.#point[cell];
      if (resident >= 0) {
        const isSame = at[2 * resident] === x && at[2 * resident + 1] === y;
        if (isSame || depth >= deepest) return;
        // What lay here goes down a level with all that was taken for it.
        const child = this.#cell();
        this.#children[4 * cell + quarter(at[2 * resident], at[2 * resident + 1], cx, cy)] = child;
        this.#sumX[child] = this.#sumX[cell] - x;
        this.#sumY[child] = this.#sumY[cell] - y;
        this.#count[child] = before;
        this.#point[child] = resident;
        this.#point[cell] = -1;
      }
      const q = quarter(x, y, cx, cy);
      half /= 2;
      cx += q & 1 ? half : -half;
      cy += q & 2 ? half : -half;
      let next = this.#children[4 * cell + q];
      if (next === 0) {
        next = this.#cell();
        this.#children[4 * cell + q] = next;
      }
      cell = next;
    }
  }

  /** Writes the cells down in the order of the walk. */
  #lay(at: Float64Array, half: number): void {
    const size = this.#cells;
    if (size > this.x.length) {
      this.x = new Float64Array(2 * size);
      this.y = new Float64Array(2 * size);
      this.weight = new Float64Array(2 * size);
      this.width = new Float64Array(2 * size);
      this.skip = new Int32Array(2 * size);
      this.isLeaf = new Uint8Array(2 * size);
    }
    this.size = 0;
    this.#visit(at, 0, 4 * half * half);
  }

  #visit(points: Float64Array, cell: number, width: number): void {
    const at = this.size++;
    const count = this.#count[cell];
    const point = this.#point[cell];
    // A leaf lies where its point does, to the last bit: a point finds itself by being at no distance.
    this.x[at] = point >= 0 ? points[2 * point] : this.#sumX[cell] / count;
    this.y[at] = point >= 0 ? points[2 * point + 1] : this.#sumY[cell] / count;
    this.weight[at] = count;
    this.width[at] = width;
    this.isLeaf[at] = point >= 0 ? 1 : 0;
    for (let q = 0; q < 4; q++) {
      const child = this.#children[4 * cell + q];
      if (child > 0) this.#visit(points, child, width / 4);
    }
    this.skip[at] = this.size;
  }
}

function quarter(x: number, y: number, cx: number, cy: number): number {
  return (x > cx ? 1 : 0) | (y > cy ? 2 : 0);
}
