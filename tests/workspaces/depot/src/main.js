function openDepot() {
  const shelf = new Shelf(3e7);
  return [countStock(6e7), shelf.weighShelf(), shelf.volumeOfShelf, roundPrices(6e7), sortPrices(4e5)];
}

console.log(openDepot().length);
