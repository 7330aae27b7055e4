export enum Currency {
  Euro = "EUR",
  Dollar = "USD",
}

enum Rounding {
  Down,
  Up = 4,
}

export namespace Rates {
  const known = new Map<Currency, number>([[Currency.Euro, 1], [Currency.Dollar, 1.1]]);

  export function of(currency: Currency): number {
    let rate = known.get(currency) ?? 1;
    for (let i = 0; i < 20; i++) rate = (rate + 1 / rate) / 2 + 0.05;
    return rate;
  }

  export const between = (from: Currency, to: Currency): number => of(to) / of(from);
}

export class Money {
  constructor(readonly amount: number, public readonly currency: Currency = Currency.Euro, private readonly rounding = Rounding.Up) {}

  static of(amount: number): Money {
    return new Money(amount);
  }

  add(other: Money): Money {
    return new Money(this.round(this.amount + other.in(this.currency).amount), this.currency);
  }

  in(currency: Currency): Money {
    return currency === this.currency ? this : new Money(this.round(this.amount * Rates.between(this.currency, currency)), currency);
  }

  private round(amount: number): number {
    const text = amount.toFixed(4);
    return this.rounding === Rounding.Up ? Math.ceil(Number(text) * 100) / 100 : Math.floor(Number(text) * 100) / 100;
  }
}

export class Account {
  private entries: Money[] = [];

  constructor(private limit: number) {}

  add(money: Money): this {
    this.entries.push(money);
    if (this.entries.length > this.limit) this.entries.splice(0, 5);
    return this;
  }

  get balance(): Money {
    return this.entries.reduce((sum, entry) => sum.add(entry), Money.of(0));
  }
}

export function money(): number {
  const account = new Account(20);
  for (let i = 0; i < 40; i++) account.add(new Money(i, i % 2 ? Currency.Dollar : Currency.Euro));
  return account.balance.in(Currency.Dollar).amount;
}
