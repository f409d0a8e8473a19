import type { Expressions } from "./expressions.ts";

/** Statements of a program's top level that leave nothing behind for later ones. */
export class Statements {
  readonly #make: Expressions;
  readonly #fresh: (letter: string) => string;

  /** `fresh` answers a name that nothing has, from its first letter. */
  constructor(make: Expressions, fresh: (letter: string) => string) {
    this.#make = make;
    this.#fresh = fresh;
  }

  /** One of them. */
  any(): string {
    const kinds = [
      () => this.#hiding(),
      () => this.#loops(),
      () => this.#closures(),
      () => this.#generators(),
      () => this.#waiting(),
      () => this.#trying(),
      () => this.#strictness(),
    ];
    return this.#make.dice.pick(kinds)();
  }

  /** Inner names of the same spelling, assigned to although the outer one may be constant. */
  #hiding(): string {
    const name = this.#make.name("number") ?? "n";
    return this.#make.dice.pick([
      `{ let ${name} = 1; ${name} += 2; console.log(${name}); }`,
      `((${name}: number) => { ${name}++; console.log(${name}); })(5);`,
      `(({ ${name} = 2 }: Record<string, number>) => { ${name}--; console.log(${name}); })({});`,
      `try { throw 1; } catch (${name}) { ${name} = 8; console.log(${name}); }`,
      `for (let ${name} = 0; ${name} < 2; ${name}++) console.log(${name});`,
      `for (const ${name} of [1, 2]) { console.log(${name}); }`,
      `(function () { if (true) { var ${name} = 4; } ${name} = 5; console.log(${name}); })();`,
      `(function ${name}() { console.log(typeof ${name}); })();`,
      `switch (1) { case 1: let ${name} = 3; ${name} *= 2; console.log(${name}); }`,
      `{ function ${name}() { return 1; } console.log(${name}()); }\nconsole.log(typeof ${name});`,
      `console.log(class ${name} { static own = typeof ${name}; }.own);`,
    ]);
  }

  #loops(): string {
    const label = this.#fresh("L");
    return this.#make.dice.pick([
      `${label}: for (let i = 0; i < 4; i++) { for (const j of [0, 1, 2]) { if (j === 1) continue ${label}; if (i === 2) break ${label}; console.log(i, j); } }`,
      `${label}: { console.log("in"); if (${this.#make.number()} > 0) break ${label}; console.log("not left"); }`,
      `for (const key in ${this.#make.record()}) console.log(key);`,
      `for (const [k, v] of Object.entries({ a: 1, b: ${this.#make.number()} })) console.log(k, v);`,
      `var w${label}: number = 0; do { w${label}++; if (w${label} === 2) continue; } while (w${label} < 4); console.log(w${label});`,
      `for (var h${label} = 0; h${label} < 3; h${label}++); console.log(h${label});`,
    ]);
  }

  #closures(): string {
    const [list, counter] = [this.#fresh("k"), this.#fresh("k")];
    return this.#make.dice.pick([
      `const ${list}: (() => number)[] = []; for (let i = 0; i < 3; i++) { ${list}.push(() => i * 10); i += 0; } console.log(${list}.map((f) => f()));`,
      `const ${list}: (() => number)[] = []; for (var v${list} = 0; v${list} < 3; v${list}++) ${list}.push(() => v${list}); console.log(${list}.map((f) => f()));`,
      `const ${counter} = (() => { let n = ${this.#make.number()}; return { up: () => ++n, get n() { return n; } }; })(); ${counter}.up(); console.log(${counter}.n);`,
    ]);
  }

  #generators(): string {
    const name = this.#fresh("g");
    const end = this.#make.dice.pick(["return 7;", "", "throw new RangeError('end');"]);
    return `function* ${name}(from = ${this.#make.number(1)}): Generator<number, any, any> { try { const got = yield from; console.log("got", got); yield* [1, 2]; ${end} } finally { console.log("closed"); } }
{ const it = ${name}(); console.log(it.next(), it.next("x")); ${this.#make.dice.pick(['console.log(it.return("stop"));', "try { it.throw(new Error('in')); } catch (e) { console.log(String(e)); }", "try { for (const each of it) console.log(each); } catch (e) { console.log(String(e)); }"])} }`;
  }

  #waiting(): string {
    const name = this.#fresh("a");
    const number = this.#make.number();
    return this.#make.dice.pick([
      `const ${name} = await Promise.all([1, (async () => ${number})(), { then(f: (n: number) => void) { f(3); } }]); console.log(${name});`,
      `async function ${name}(p: number): Promise<number> { await null; if (p < 0) throw new TypeError("low"); return p * 2; }\nconsole.log(await ${name}(3)); try { await ${name}(-1); } catch (e: unknown) { console.log((e as Error).message); }`,
      `for await (const each of (async function* () { yield ${number}; await 0; yield 2; })()) { console.log(each); if (each === 2) break; }`,
      `await new Promise<void>((done) => setTimeout(() => { console.log("later"); done(); }, 1)); console.log("after");`,
      `const ${name} = []; await Promise.all([1, 2].map(async (k) => { ${name}.push(k); await null; ${name}.push(-k); })); console.log(${name});`,
      `if (await Promise.resolve(${number}) !== null) { console.log((await Promise.allSettled([Promise.reject(1), 2])).map((s) => s.status)); }`,
      `queueMicrotask(() => console.log("micro")); await null; console.log("next");`,
    ]);
  }

  #trying(): string {
    const number = this.#make.number();
    return this.#make.dice.pick([
      `console.log((() => { try { return ${number}; } finally { console.log("finally"); } })());`,
      `console.log((() => { for (const k of [1, 2]) { try { continue; } finally { if (k === 2) return "from finally"; } } })());`,
      `try { { console.log(early); const early = 1; } } catch (e) { console.log(String(e)); }`,
      `try { new (class { field = later; static s = 1; })(); let later; } catch (e) { console.log((e as Error).name); }`,
      `try { ((p = q, q = 1) => p)(); } catch (e) { console.log(String(e)); }`,
      `try { try { throw new Error("in", { cause: ${number} }); } catch (e) { throw new AggregateError([e], "all"); } finally { console.log("f"); } } catch ({ name, message, errors }: any) { console.log(name, message, errors[0].cause); }`,
      `try { (null as any).x; } catch { console.log("no binding"); }`,
      `try { console.log(await Promise.any([Promise.reject(1)])); } catch (e) { console.log((e as Error).constructor.name); }`,
    ]);
  }

  /** What modules are strict about. */
  #strictness(): string {
    const name = this.#fresh("u");
    return this.#make.dice.pick([
      `try { (Object.freeze({ a: 1 }) as any).a = 2; console.log("silent"); } catch (e) { console.log(String(e)); }`,
      `try { ${name} = 1; console.log("made"); } catch (e) { console.log(String(e)); }`,
      `console.log((function (this: any) { return this; })(), (function () { return typeof this; }).call(5));`,
      `{ function ${name}() {} }\nconsole.log(typeof ${name});`,
      `console.log((function (p: number) { p = 2; return arguments[0]; } as any)(1));`,
      `try { delete (Object.prototype as any).constructor_; delete [].length; } catch (e) { console.log((e as Error).name); }`,
      `console.log(eval("var ${name} = 1; ${name}"), typeof ${name});`,
    ]);
  }
}
