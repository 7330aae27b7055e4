type Points = readonly number[];

export function rasterize(points: Points, size: number): number { // planted
  let covered = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let distance = 0;
      for (const point of points) distance += Math.hypot(x - point, y - point);
      if (distance < size) covered++;
    }
  }
  return covered;
}
