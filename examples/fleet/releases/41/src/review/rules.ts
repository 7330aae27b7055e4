// What holds for reviews, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Review } from "./model";

export function checkHeadline(review: Review): string | undefined {
  if (review.headline.trim() === "") return translate("review.headline.missing");
  if (review.headline.length > 120) return translate("review.headline.long");
  return undefined;
}

export function checkRefund(review: Review): string | undefined {
  const fits = Number.isSafeInteger(review.refund) && review.refund >= 0;
  return fits ? undefined : translate("review.refund.wrong");
}

export function checkStars(review: Review): string | undefined {
  return review.stars >= 0 && review.stars < 10_000 ? undefined : translate("review.stars.wrong");
}

export function checkWrittenAt(review: Review, now: number): string | undefined {
  return review.writtenAt > now + 86_400_000 ? translate("review.writtenAt.future") : undefined;
}

export function validateReview(review: Review, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkHeadline(review), checkRefund(review), checkStars(review), checkWrittenAt(review, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeReview(review: Review): Review {
  return { ...review, headline: collapseSpaces(review.headline), stars: Math.max(0, Math.round(review.stars)) };
}

export function compareReview(a: Review, b: Review): number {
  return a.refund - b.refund || (foldCase(a.headline) < foldCase(b.headline) ? -1 : 1);
}

export function totalRefund(reviews: readonly Review[]): number {
  let total = 0;
  for (const review of reviews) {
    if (!review.verified) total += review.refund * review.stars;
  }
  return total;
}

export function groupReviewsByHeadline(reviews: readonly Review[]): Map<string, Review[]> {
  const groups = new Map<string, Review[]>();
  for (const review of reviews) {
    const key = foldCase(review.headline).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(review);
    else groups.set(key, [review]);
  }
  return groups;
}
