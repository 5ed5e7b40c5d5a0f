/** In a query over work_order: whether the order was cancelled as a whole while somebody works on it. */
export const calledOffColumn = `EXISTS (SELECT 1 FROM change WHERE change.order_number = work_order.number
  AND change.watched = 1 AND change.external_id IS NULL AND change.item_number IS NULL) AS calledOff`;
