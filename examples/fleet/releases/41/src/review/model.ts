// Review: what a customer says of a product.

import { hashText } from "../util/text";

export interface Review {
  id: string;
  headline: string;
  refund: number;
  stars: number;
  writtenAt: number;
  verified: boolean;
}

export function createReview(id: string, known: Partial<Review> = {}): Review {
  return { id, headline: "", refund: 0, stars: 1, writtenAt: 0, verified: false, ...known };
}

export function copyReview(review: Review): Review {
  return { ...review };
}

export function isReview(value: unknown): value is Review {
  const it = value as Review | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.refund === "number";
}

export function parseReview(json: string): Review | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isReview(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeReview(review: Review): string {
  return JSON.stringify(review, ["id", "headline", "refund", "stars", "writtenAt", "verified"]);
}

export function sameAsReview(a: Review, b: Review): boolean {
  return a.id === b.id && a.headline === b.headline && a.refund === b.refund && a.stars === b.stars;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeReview(a: Review, b: Review): Review {
  const [older, newer] = a.writtenAt <= b.writtenAt ? [a, b] : [b, a];
  return { ...older, ...newer, headline: newer.headline || older.headline };
}

export function hashReview(review: Review): number {
  let hash = hashText(review.id);
  hash = (hash * 31 + review.refund) | 0;
  return (hash * 31 + review.stars) | 0;
}
