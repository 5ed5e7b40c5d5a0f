/** An ERP with a web interface of its own. */
export const restStarter = (address: string) => `connectors:
  erp:
    type: http
    baseUrl: ${JSON.stringify(address)}
    # auth:                          # one of basic, bearer, apiKey, oauth2, session
    #   bearer:
    #     token: \${ERP_TOKEN}        # from the environment; or file:/path/to/secret
    operations:
      listWorkOrders:
        path: /orders
        query: { status: open }
        records: data                # where the list stands in the answer
        # page: { by: page, param: page, size: 100, sizeParam: limit }
        map: &order                  # member of the contract: field of the ERP
          number: orderNumber
          dueDate: dueDate           # or { from: dueDate, date: dd.MM.yyyy }
          externalIdentifier: id
          requests:
            each: lines
            map:
              itemNumber: sku
              itemName: name
              requestedAmount: quantity   # add round: or unit: where it may be a fraction
              requestExternalIdentifier: id
      findWorkOrderByCode:
        path: /orders/{code}
        map: *order
      getItem:
        path: /items/{number}
        map:
          number: sku
          name: name
      confirmStep:                   # each picked step, under the same Idempotency-Key on every attempt
        path: /picks

serve:                               # who answers; what is not named here the embedded store does
  workOrders: erp
  codeLookup: erp
  items: erp

events:
  to: erp
  # by: { attachWorkOrder: nobody }  # single events elsewhere
`;
